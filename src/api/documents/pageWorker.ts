import { parentPort } from 'node:worker_threads';
import { yieldProcessor } from '../../platform/turns/yieldProcessor.ts';
import { buildPage } from './buildPage.ts';
import type { HostedDocument } from './hostedDocument.ts';
import { readyMessage } from './renderThread.ts';

yieldProcessor();
/** The thread's side of `createRenderThread`: a document comes in, its page goes out. */
parentPort?.on('message', (document: HostedDocument) => {
  parentPort?.postMessage(buildPage(document));
});
parentPort?.postMessage(readyMessage);
