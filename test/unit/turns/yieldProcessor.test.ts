import { once } from 'node:events';
import { constants, getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const source = `
  const { getPriority } = require('node:os');
  const { parentPort, workerData } = require('node:worker_threads');
  const before = getPriority();
  import(workerData).then(({ yieldProcessor }) => {
    yieldProcessor();
    parentPort.postMessage({ before, after: getPriority() });
  });`;

test.runIf(process.platform === 'linux')(
  'a thread that yields the processor leaves the others as they are',
  async () => {
    const own = getPriority();
    const workerData = new URL('../../../src/platform/turns/yieldProcessor.ts', import.meta.url).href;
    const worker = new Worker(source, { eval: true, workerData });
    const [{ before, after }] = await once(worker, 'message');
    await worker.terminate();
    expect(before).toBe(own);
    expect(after).toBe(constants.priority.PRIORITY_BELOW_NORMAL);
    expect(getPriority()).toBe(own);
  },
);
