import { closeSync, fstatSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Anvil's output. A file instead of a pipe: Anvil handles a broken pipe badly, and it must still save its
 * state when its parent is gone.
 */
export interface AnvilLog {
  /** The child's stdout and stderr. */
  descriptor: number;
  /** Output since the log was opened, at most the last `maxBytes`. */
  readTail(maxBytes: number): string;
  close(): void;
}

/** Opens `path` for appending, or a temporary file that disappears with its last user. */
export function openAnvilLog(path: string | undefined): AnvilLog {
  const descriptor = path === undefined ? openTemporary() : openAppending(path);
  const start = fstatSync(descriptor).size;
  return {
    descriptor,
    readTail(maxBytes) {
      const end = fstatSync(descriptor).size;
      const from = Math.max(start, end - maxBytes);
      const buffer = Buffer.alloc(end - from);
      return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, from));
    },
    close: () => closeSync(descriptor),
  };
}

function openAppending(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, 'a+');
}

function openTemporary(): number {
  const path = join(tmpdir(), `anvil-${crypto.randomUUID()}.log`);
  const descriptor = openSync(path, 'ax+');
  rmSync(path);
  return descriptor;
}
