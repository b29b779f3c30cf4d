import { run } from '../../../../client/src/cli/run.ts';
import type { Terminal } from '../../../../client/src/cli/terminal.ts';

/** A terminal without input, and the lines printed to it. */
export function createTerminal(): { terminal: Terminal; printed: string[] } {
  const printed: string[] = [];
  const refuse = () => Promise.reject(new Error('Nothing is read here.'));
  const terminal = {
    env: {},
    columns: undefined,
    colours: false,
    isScreen: false,
    print: (text: string) => void printed.push(text),
    printError: (text: string) => void printed.push(text),
    readInput: refuse,
    readSecret: refuse,
    stopped: new AbortController().signal,
  };
  return { terminal, printed };
}

/** Runs one command in this process, without a service. Returns everything printed. */
export async function runInProcess(...words: readonly string[]): Promise<string> {
  const { terminal, printed } = createTerminal();
  await run(words, terminal);
  return printed.join('\n');
}
