import type { EvidenceFinding } from '../../src/protocol/evidence/evidenceVerdict.ts';
import { type VerifyOptions, verifyEvidence } from '../../src/protocol/evidence/verifyEvidence.ts';

/** What a file establishes. @throws Error if it is refused. */
export async function findEvidence(text: string, options: VerifyOptions = {}): Promise<EvidenceFinding> {
  const verdict = await verifyEvidence(text, options);
  if (!verdict.ok) throw new Error(`${verdict.reason} at ${verdict.path}: ${verdict.message}`);
  return verdict;
}
