import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { mostEvidenceBytes } from '../verify/index.ts';
import { CliError } from './cliError.ts';

/**
 * A file, or a pipe whose size nobody knows before. At most one byte above the limit of evidence is read: then it is too
 * large. Rejects as soon as the program is asked to stop, also while a pipe gives nothing.
 *
 * @throws CliError if it cannot be read.
 */
export async function readFile(file: string, stopped: AbortSignal): Promise<Uint8Array> {
  const bytes = await Promise.race([readBytes(file, stopped), waitForStop(stopped)]);
  // Ctrl-C also ends the program that writes to the pipe: what it has written is not the whole file.
  stopped.throwIfAborted();
  return bytes;
}

/** The same for a text. @throws CliError also if it is too large. */
export async function readTextFile(file: string, stopped: AbortSignal): Promise<string> {
  const bytes = await readFile(file, stopped);
  if (bytes.length > mostEvidenceBytes) throw new CliError(`${file} is larger than 64 MiB.`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** All of the standard input as text. @throws CliError if it is too large. */
export async function readStandardInput(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > mostEvidenceBytes) throw new CliError('The standard input is larger than 64 MiB.');
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

async function readBytes(file: string, signal: AbortSignal): Promise<Uint8Array> {
  try {
    return await buffer(createReadStream(file, { end: mostEvidenceBytes, signal }));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    throw new CliError(
      code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${String(code)}`,
    );
  }
}

/** The stream itself ends only after its pending read. */
function waitForStop(stopped: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    stopped.addEventListener('abort', () => reject(stopped.reason), { once: true });
  });
}
