import { run } from '../../../../client/src/cli/run.ts';
import type { Terminal } from '../../../../client/src/cli/terminal.ts';

/** A terminal at which nobody types, and what was printed there. */
export function createTerminal(): { terminal: Terminal; printed: string[] } {
  const printed: string[] = [];
  const refuse = () => Promise.reject(new Error('Nothing is read here.'));
  const terminal = {
    env: {},
    columns: undefined,
    colours: false,
    print: (text: string) => void printed.push(text),
    printError: (text: string) => void printed.push(text),
    readInput: refuse,
    readSecret: refuse,
    stopped: new AbortController().signal,
  };
  return { terminal, printed };
}

/** Runs one command here, without a service; everything printed is the result. */
export async function runInProcess(...words: readonly string[]): Promise<string> {
  const { terminal, printed } = createTerminal();
  await run(words, terminal);
  return printed.join('\n');
}
