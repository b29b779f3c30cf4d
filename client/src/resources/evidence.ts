import { pause } from '../http/retry.ts';
import type { Call, Transport } from '../http/transport.ts';

/** How many of the blocks for a piece of evidence are fetched and proved. */
export type EvidenceProgress = { readonly blocksProved: number; readonly blocks: number };

export type OnProgress = {
  /** Called whenever the evidence is not ready yet. */
  readonly onProgress?: ((progress: EvidenceProgress) => void) | undefined;
};

/** The pause between two requests for evidence that is not ready yet. */
const pollMs = 2_000;

/** The file, or undefined while its blocks are still being proved. */
export async function askEvidence(
  transport: Transport,
  { onProgress, ...call }: Omit<Call, 'method'> & OnProgress,
): Promise<string | undefined> {
  const answer = await transport.evidence({ slow: true, ...call });
  if (typeof answer === 'string') return answer;
  onProgress?.(Object(answer.data));
  return undefined;
}

/** Asks until the file is complete. */
export async function pollEvidence(
  ask: () => Promise<string | undefined>,
  signal: AbortSignal | undefined,
): Promise<string> {
  for (;;) {
    const text = await ask();
    if (text !== undefined) return text;
    await pause(pollMs, signal);
  }
}
