import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadsOf, startTracedService, type TracedService } from '../service/tracing/support/tracedService.ts';
import { patienceMs } from '../support/patience.ts';
import { startTraceCollector } from '../support/traceCollector.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** The tests start three processes at a time. That takes up to half a minute on an idle machine. */
vi.setConfig({ testTimeout: 180_000 });

/** Nothing listens on it. Another process may get the port of a collector that was closed. */
const discardPort = 9;

let scene: TracedService;
beforeAll(async () => {
  scene = await startTracedService();
});
afterAll(() => scene?.close());

describe('without a collector', () => {
  test('no SDK is loaded and nothing sent without a configured collector', async () => {
    const quiet = await scene.start('api');
    const agreement = await scene.deploy(quiet);
    const traceId = randomBytes(16).toString('hex');
    const { transaction } = await scene.hit(quiet, agreement, {
      traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`,
      'x-request-id': 'untraced-request',
    });
    expect(transaction).toMatchObject({ request_id: 'untraced-request', trace_parent: null });
    // The metrics load only the API module of OpenTelemetry, whose spans do nothing.
    expect([...loadsOf(quiet)].filter((name) => name !== 'api')).toEqual([]);
    const { code } = await quiet.child.stop();
    expect(code).toBe(0);
    await waitUntil('the worker has told of the event', () =>
      scene.collector
        .spans()
        .some(
          ({ name, attributes }) =>
            name === 'write event' && attributes['agreements.transaction.hash'] === transaction.tx_hash,
        ),
    );
    expect(scene.inTrace(traceId)).toEqual([]);
    expect(new Set(scene.collector.spans().map(({ service }) => service))).toEqual(
      new Set(['traced-worker']),
    );
  });

  test.concurrent.each([
    ['refuses connections', undefined],
    ['never answers', () => {}],
    [
      'answers with errors',
      (response: { writeHead(status: number): { end(): unknown } }) => void response.writeHead(500).end(),
    ],
  ] as const)('one that %s delays nobody', async (_, answer) => {
    const broken = answer && (await startTraceCollector(answer));
    const lost = await scene.start('api', scene.tracing(broken?.port ?? discardPort));
    try {
      const agreement = await scene.deploy(lost);
      const { transaction } = await scene.hit(lost, agreement);
      expect(transaction.trace_parent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      await waitUntil(
        'it is told once',
        () => lost.lines.some((line) => line.includes('failed to export traces')),
        patienceMs,
      );
      const { code } = await lost.child.stop();
      expect(code).toBe(0);
      expect(lost.lines.filter((line) => line.includes('failed to export traces'))).toHaveLength(1);
    } finally {
      await broken?.close();
    }
  });
});
