import { type FaultPoint, faultPoints } from '../../../src/platform/supervision/faultPoint.ts';
import type { ServiceKind } from '../../support/serviceStack.ts';

/** Callers here ask for no webhooks and no rules: other tests kill processes on the way of those. */
const { api, delivery, rules, mails, ...ofWorker } = faultPoints;

/** The labelled places that a process of each kind passes while callers deploy agreements and send inputs. */
export const pointsOf: Readonly<Record<ServiceKind, readonly FaultPoint[]>> = {
  api,
  worker: Object.values(ofWorker).flat(),
  indexer: [],
};
