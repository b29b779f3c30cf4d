import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/**
 * Reads a line that is typed or pasted; the terminal does not show it. Empty after Ctrl-D. Ctrl-C interrupts the process, as
 * elsewhere.
 */
export function readHidden(prompt: string, stopped: AbortSignal): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  // From here on the terminal shows nothing of what is typed.
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  process.stderr.write(prompt);
  return new Promise<string>((resolve, reject) => {
    reader.once('line', resolve);
    reader.once('close', () => resolve(''));
    reader.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    stopped.addEventListener('abort', () => reject(stopped.reason), { once: true });
  }).finally(() => {
    reader.close();
    process.stderr.write('\n');
  });
}
