import { parentPort, workerData } from 'node:worker_threads';
import { yieldProcessor } from '../../platform/turns/yieldProcessor.ts';
import { buildPage, buildPlainPage } from './buildPage.ts';
import type { HostedDocument } from './hostedDocument.ts';
import { readyMessage } from './renderThread.ts';

yieldProcessor();
const build = workerData === 'plain' ? buildPlainPage : buildPage;
/** The thread's side of `createRenderThread`: a document comes in, its page goes out. */
parentPort?.on('message', (document: HostedDocument) => {
  parentPort?.postMessage(build(document));
});
parentPort?.postMessage(readyMessage);
