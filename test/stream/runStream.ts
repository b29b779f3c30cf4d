import { fileURLToPath } from 'node:url';
import { AgreementsClient } from '../../client/src/index.ts';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { createDatabase } from '../../src/platform/database/database.ts';
import { inTransaction } from '../../src/platform/database/inTransaction.ts';
import { createLogger } from '../../src/platform/log/createLogger.ts';
import { releaseNow } from '../../src/worker/publisher/releaseEvents.ts';
import { insertRecords } from '../service/support/rows.ts';
import type { LongRunParts } from '../support/longRun.ts';
import { createRandom } from '../support/random.ts';
import { startRunning } from '../support/runningProcess.ts';
import { createServiceStack } from '../support/serviceStack.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { withClosings } from '../support/withClosings.ts';
import { readMemory } from './support/readMemory.ts';
import { createStreamListener, idOf } from './support/streamListener.ts';

export type StreamOptions = LongRunParts & {
  /** The number of listeners that follow the feed at the same time, in addition to the one that is cut. */
  readonly listeners: number;
  readonly events: number;
  readonly cuts: number;
  readonly seed: number;
};

export type StreamReport = {
  readonly listeners: number;
  readonly events: number;
  readonly cuts: number;
  readonly seconds: number;
  /** Resident bytes of the API before the listeners follow, once all of them follow, and at the end. */
  readonly resident: Readonly<Record<'alone' | 'followed' | 'end', number>>;
  /**
   * Bytes on its heap after a collection: once all listeners follow, after a quarter of the events, and at
   * the end.
   */
  readonly heap: Readonly<Record<'followed' | 'early' | 'late', number>>;
  readonly faults: readonly string[];
};

const heapProbe = fileURLToPath(new URL('support/heapProbe.ts', import.meta.url));
const chainId = 84_532;
const recordId = 'agr_streamed';
const patienceMs = 600_000;
const batch = 5;
/** The most events that a listener may be behind before more are written. */
const mostBehind = 25;

/**
 * Lets many listeners follow one feed of one API while events are written, and cuts one of them many times.
 */
export function runStream(options: StreamOptions): Promise<StreamReport> {
  const { databaseUrl, listeners, events, cuts, seed, onProgress, onLine } = options;
  return withClosings(async (onClose) => {
    const env = { EVENT_STREAMS_MAX: String(listeners + 10) };
    const stack = await createServiceStack({ databaseUrl, wallets: 1, env });
    onClose(stack.close);
    const probePort = String(await findFreePort());
    const readHeap = async () => Number(await (await fetch(`http://127.0.0.1:${probePort}`)).text());
    const api = await startRunning(stack, {
      kind: 'api',
      env: { HEAP_PROBE_PORT: probePort },
      nodeFlags: ['--import', heapProbe],
      onStart: (child) => onClose(() => child.kill()),
    });
    const { baseUrl } = api;
    const client = new AgreementsClient({ baseUrl, apiKey: stack.apiKey });
    const { principal } = await client.sessions.current();
    const logger = createLogger({ level: 'silent', name: 'test' });
    const handle = createDatabase({ url: databaseUrl, applicationName: 'test', maxConnections: 2, logger });
    onClose(handle.close);
    await insertRecords(handle.pool, principal, [{ id: recordId, chain_id: chainId }]);
    const write = (first: number, howMany: number) =>
      inTransaction(handle.database, (transaction) =>
        releaseNow(
          transaction,
          Array.from({ length: howMany }, (_, at) => buildEvent(principal.id, first + at)),
        ),
      );
    const read = () => readMemory(api.child.pid);

    const alone = read();
    const following = Array.from({ length: listeners + 1 }, () =>
      createStreamListener({ baseUrl, apiKey: stack.apiKey }),
    );
    onClose(async () => {
      for (const listener of following) listener.close();
    });
    const [victim] = following;
    const toldAll = (count: number) => () => following.every((listener) => listener.count >= count);
    await write(0, 1);
    await waitUntil('everybody follows', toldAll(1), patienceMs);
    const followed = read();
    onProgress(`${following.length} listeners follow`);

    const random = createRandom(seed);
    const startedAt = performance.now();
    const heap = { followed: await readHeap(), early: 0, late: 0 };
    let cut = 0;
    for (let written = 1; written < events; written += batch) {
      await write(written, Math.min(batch, events - written));
      // The cuts are spread over the whole run, at random moments after a write.
      for (; cut < (cuts * written) / events; cut++) {
        await new Promise((resolve) => setTimeout(resolve, random() * 60));
        victim?.cut();
      }
      await waitUntil('nobody is far behind', toldAll(written - mostBehind), patienceMs);
      if (heap.early === 0 && written >= events / 4) heap.early = await readHeap();
      onLine(`${written} events, ${cut} cuts, resident ${read()}`);
    }
    for (; cut < cuts; cut++) victim?.cut();
    await waitUntil('everybody was told everything', toldAll(events), patienceMs);
    const seconds = (performance.now() - startedAt) / 1_000;
    heap.late = await readHeap();
    const end = read();
    const counts = following.filter(({ count }) => count !== events);
    const faults = [
      ...following.flatMap((listener) => listener.flaws),
      ...counts.map(({ count }) => `${count} events came instead of ${events}`),
    ];
    const resident = { alone, followed, end };
    return { listeners: following.length, events, cuts: cut, seconds, resident, heap, faults };
  });
}

function buildEvent(principalId: string, number: number) {
  const id = idOf(number);
  const type = 'agreement.transitioned' as const;
  const place = { chainId, blockNumber: null, txHash: null, blockOrder: number };
  return { id, principalId, recordId, type, ...place, body: JSON.stringify({ id, type, data: { number } }) };
}
