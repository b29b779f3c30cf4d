/** Checks evidence files locally: no request, no run-time dependency, in Node, browsers and workers. */
export type { EvidenceLayout } from '../../../src/protocol/evidence/evidenceFile.ts';
export type {
  EvidenceAct,
  EvidenceFinding,
  EvidenceLevel,
  EvidenceVerdict,
  RefusedEvidence,
} from '../../../src/protocol/evidence/evidenceVerdict.ts';
export { evidenceLevels, isSigned, reachesLevel } from '../../../src/protocol/evidence/evidenceVerdict.ts';
export { writeTime } from '../../../src/protocol/evidence/evidenceWords.ts';
export { mostEvidenceBytes } from '../../../src/protocol/evidence/readEvidence.ts';
export { type RefusalReason, refusalReasons } from '../../../src/protocol/evidence/refusal.ts';
export { type VerifyOptions, verifyEvidence } from '../../../src/protocol/evidence/verifyEvidence.ts';
