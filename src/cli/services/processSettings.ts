import type { ChildOptions } from '../../platform/supervision/child.ts';

/** In the order of stopping: first no more requests, then no more sending, then no more indexing. */
export const serviceNames = ['api', 'worker', 'indexer'] as const;
export type ServiceName = (typeof serviceNames)[number];

/**
 * What each process gets of memory and processor on a machine that runs all three.
 *
 * A semi-space is half of the young generation, in MB; Node's own has 16. The API's is large, so that most requests end
 * before their objects are copied: at 200 inputs a second it takes a fifth less of the processor than with 8. The
 * worker's is small, so that it keeps less at rest. The indexer has Node's own, as a backfill mostly allocates.
 *
 * Callers wait for the API's answers, which wait for the worker's signatures. The indexer has a third of their weight: on the
 * processor of an API that never rests, it keeps a quarter.
 */
export const processSettings: Record<ServiceName, Pick<ChildOptions, 'nodeFlags' | 'niceness'>> = {
  api: { nodeFlags: ['--max-semi-space-size=32'] },
  worker: { nodeFlags: ['--max-semi-space-size=8'] },
  indexer: { niceness: 5 },
};
