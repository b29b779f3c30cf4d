import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import { type Program, startProgram } from '../../e2e/support/program.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type DeliveryScene, startDeliveryScene } from './support/deliveryScene.ts';

let scene: DeliveryScene;
beforeAll(async () => {
  scene = await startDeliveryScene();
});
afterEach(() => scene.reset());
afterAll(() => scene?.close());

describe('the receiver of the examples', () => {
  const folder = mkdtempSync(join(tmpdir(), 'receivers-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const start = async (name: string, secret: string, port: number): Promise<Program> => {
    const program = startProgram(`examples/receivers/${name}.ts`, {
      env: { PORT: String(port), WEBHOOK_SECRET: secret, INBOX: join(folder, `${name}.jsonl`) },
    });
    scene.onReset(async () => {
      program.signal('SIGTERM');
      await program.exited;
    });
    const isListening = () => {
      if (program.hasEnded()) throw new Error(program.lines.join('\n'));
      return program.lines.some((line) => line.startsWith('listening'));
    };
    // A busy machine may take long to start a program.
    await waitUntil('the receiver listens', isListening);
    return program;
  };

  test.each(['plainNode', 'express', 'hono'])('in %s stores and handles each event once', async (name) => {
    const port = await findFreePort();
    const webhook = await scene.subscribe(`http://127.0.0.1:${port}/webhooks`);
    const program = await start(name, webhook.secret, port);
    const ids = await scene.release(2);
    const [delivery] = await webhook.settle('succeeded', 1);
    expect((await webhook.test()).ok).toBe(true);
    await webhook.post(`deliveries/${delivery?.id}/redeliver`);
    await waitUntil('it has come again', async () => {
      const found = (await webhook.deliveries()).find(({ id }) => id === delivery?.id);
      return found?.attemptCount === 2 && found.status === 'succeeded';
    });
    const stored = readFileSync(join(folder, `${name}.jsonl`), 'utf8')
      .trim()
      .split('\n');
    expect(stored.map((line) => JSON.parse(line).id)).toEqual([...ids, expect.stringMatching(/^evt_/)]);
    await waitUntil('its lines are here', () => program.lines.length >= 4);
    expect(program.lines).toEqual([
      `listening on http://127.0.0.1:${port}/webhooks`,
      'Lease #1: go, S0 → S1',
      'Lease #2: go, S1 → S2',
      expect.stringMatching(/^a test, evt_/),
    ]);
  });

  test.each(['plainNode', 'express', 'hono'])(
    'in %s refuses requests that are not signed with its secret',
    async (name) => {
      const port = await findFreePort();
      const webhook = await scene.subscribe(`http://127.0.0.1:${port}/webhooks`);
      const program = await start(name, `whsec_${'0'.repeat(64)}`, port);
      expect(await webhook.test()).toMatchObject({ ok: false, status: 'failed', responseStatus: 400 });
      await waitUntil('it says so', () => program.lines.includes('refused: signature_mismatch'));
      const url = `http://127.0.0.1:${port}/webhooks`;
      const statuses = [
        (await fetch(url, { method: 'POST' })).status,
        (await fetch(url, { method: 'POST', body: '{}' })).status,
        (await fetch(url, { method: 'POST', body: 'x'.repeat(1_100_000) })).status,
        (await fetch(url)).status,
      ];
      expect(statuses).toEqual([400, 400, 413, 404]);
    },
  );
});
