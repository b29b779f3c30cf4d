import { appendFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type LogLine, parseLogLine } from './logLine.ts';

const keptLines = 40;

/** The log of one process of the stack, in readable lines. */
export type LogFile = {
  path: string;
  write(line: string): void;
  /** The last lines, for a message about a process that ended. */
  tail(lines: number): string;
};

/**
 * Starts a new log and keeps the previous run's log beside it (`.previous`). `onError` is called for every
 * logged error.
 */
export function createLogFile(path: string, onError: (line: LogLine) => void): LogFile {
  startLogFile(path);
  let kept: string[] = [];
  return {
    path,
    write(line) {
      const parsed = parseLogLine(line);
      kept = [...kept.slice(1 - keptLines), parsed.text];
      appendFileSync(path, `${parsed.text}\n`);
      if (parsed.isError) onError(parsed);
    },
    tail: (lines) => kept.slice(-lines).join('\n'),
  };
}

/** Makes room for a new log; its writer creates it. */
export function startLogFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) renameSync(path, `${path}.previous`);
  writeFileSync(path, '', { mode: 0o600 });
}
