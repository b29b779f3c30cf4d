import { styleText } from 'node:util';

/** What a person at the terminal sees of a start or a stop: one line a step, with the time it took. */
export type Progress = {
  /** Runs a step and reports it; what the step returns as its detail stands beside the title. */
  step<T>(title: string, run: () => Promise<T>, detail?: (result: T) => string): Promise<T>;
  note(text: string): void;
  warn(text: string): void;
  fail(text: string): void;
};

export function createProgress(write: (text: string) => void): Progress {
  return {
    async step(title, run, detail) {
      const startedAt = performance.now();
      try {
        const result = await run();
        const seconds = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
        const said = detail ? detail(result) : '';
        write(
          `  ${styleText('green', '✓')} ${title.padEnd(22)} ${styleText('dim', seconds.padStart(7))}  ${said}`.trimEnd(),
        );
        return result;
      } catch (error) {
        write(`  ${styleText('red', '✗')} ${title}`);
        throw error;
      }
    },
    note: (text) => write(text),
    warn: (text) => write(`  ${styleText('yellow', '!')} ${text}`),
    fail: (text) => write(`  ${styleText('red', '✗')} ${text}`),
  };
}
