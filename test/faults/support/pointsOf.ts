import { type FaultPoint, faultPoints } from '../../../src/platform/supervision/faultPoint.ts';
import type { ServiceKind } from '../../support/serviceStack.ts';

/** Callers here use no webhooks, rules or mails. Other tests kill processes at those fault points. */
const { api, delivery, rules, mails, ...ofWorker } = faultPoints;

/** The fault points that a process of each kind passes while callers deploy agreements and send inputs. */
export const pointsOf: Readonly<Record<ServiceKind, readonly FaultPoint[]>> = {
  api,
  worker: Object.values(ofWorker).flat(),
  indexer: [],
};
