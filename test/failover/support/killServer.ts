import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterDirectory } from '../../../src/cli/devtools/clusterDirectory.ts';

/**
 * Ends a server and each of its processes by SIGKILL. Otherwise the processes that serve connections would
 * finish their work after the first one is gone.
 */
export async function killServer(dataDirectory: string): Promise<void> {
  const file = readFileSync(join(clusterDirectory(dataDirectory), 'postmaster.pid'), 'utf8');
  const postmaster = Number(file.split('\n')[0]);
  // From now on it starts no more processes.
  process.kill(postmaster, 'SIGSTOP');
  for (const pid of listChildren(postmaster)) kill(pid);
  kill(postmaster);
}

function listChildren(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => readParent(name) === parent)
    .map(Number);
}

/** The name in brackets may contain anything; the parent is the second field after it. */
function readParent(pid: string): number | undefined {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[1],
    );
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended by itself.
  }
}
