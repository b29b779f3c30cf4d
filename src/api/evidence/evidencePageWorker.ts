import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { yieldProcessor } from '../../platform/turns/yieldProcessor.ts';
import { verifyEvidence } from '../../protocol/evidence/verifyEvidence.ts';
import { buildEvidencePage } from './buildEvidencePage.ts';

yieldProcessor();
/** The thread's side of `createEvidencePages`: a file comes in, its page goes out. */
const file = z.string().parse(workerData);
parentPort?.postMessage(buildEvidencePage(await verifyEvidence(file)));
