import { pause } from '../http/retry.ts';
import type { Call, Transport } from '../http/transport.ts';

/** How many blocks of those that evidence needs are fetched and proved. */
export type EvidenceProgress = { readonly blocksProved: number; readonly blocks: number };

export type OnProgress = {
  /** Told each time that evidence is not ready yet. */
  readonly onProgress?: ((progress: EvidenceProgress) => void) | undefined;
};

/** Between two looks at evidence that is not ready yet. */
const pollMs = 2_000;

/** The file, or undefined where its blocks are still being proved. */
export async function askEvidence(
  transport: Transport,
  { onProgress, ...call }: Omit<Call, 'method'> & OnProgress,
): Promise<string | undefined> {
  const text = await transport.text({ method: 'GET', slow: true, ...call });
  if (text.startsWith('{"format":')) return text;
  // What is not ready yet says how far it has come, in the envelope of every other answer.
  const { data }: { data: EvidenceProgress } = JSON.parse(text);
  onProgress?.(data);
  return undefined;
}

/** Asks until the file is there. */
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
