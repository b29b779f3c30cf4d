import {
  type EvidenceVerdict,
  mostEvidenceBytes,
  type VerifyOptions,
  verifyEvidence,
} from '../../../client/src/verify/index.ts';

/** Work between two pauses for the reader's input. */
const sliceMs = 30;

/** Checks a file in this page; nothing leaves the machine. A file that is too large is not read. */
export async function checkFile(file: Blob, options: VerifyOptions = {}): Promise<EvidenceVerdict> {
  const bytes = new Uint8Array(await file.slice(0, mostEvidenceBytes + 1).arrayBuffer());
  let since = performance.now();
  const pause = async () => {
    if (performance.now() - since < sliceMs) return;
    await new Promise((resolve) => setTimeout(resolve));
    since = performance.now();
  };
  return verifyEvidence(bytes, { ...options, pause });
}

/** Parses the reader's input: a number and a hash per line. Undefined if a line is anything else. */
export function readTrustedHashes(text: string): Map<number, `0x${string}`> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const found = lines.map((line) => /^\s*(\d{1,15})\s*[: ]\s*(0x[0-9a-fA-F]{64})\s*$/.exec(line));
  if (found.some((match) => match === null)) return undefined;
  return new Map(
    found.map((match): [number, `0x${string}`] => [
      Number(match?.[1]),
      `0x${(match?.[2] ?? '').slice(2).toLowerCase()}`,
    ]),
  );
}
