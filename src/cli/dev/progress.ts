import { styleText } from 'node:util';

/** Progress of a start or a stop in the terminal: one line per step, with its duration. */
export type Progress = {
  /** Runs a step and reports it; the step's result is shown beside its title. */
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
