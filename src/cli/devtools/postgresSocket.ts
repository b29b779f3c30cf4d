import { platform } from 'node:os';
import { join } from 'node:path';
import { clusterDirectory } from './clusterDirectory.ts';

/** Bytes of a socket's path that all systems with such sockets allow. */
const mostPathBytes = 103;
const prefix = '.s.PGSQL.';

/** The server's Unix socket and its lock. */
export const isSocketFile = (name: string) => name.startsWith(prefix);

/**
 * The directory for a server's Unix socket, which only its account can enter: a client on the same machine needs a quarter
 * less processor time through it than through TCP. Undefined where the system has none, or the path would be too long.
 */
export function findSocketDirectory(dataDirectory: string): string | undefined {
  if (platform() === 'win32') return undefined;
  const directory = clusterDirectory(dataDirectory);
  const longest = join(directory, `${prefix}65535`);
  return Buffer.byteLength(longest) <= mostPathBytes ? directory : undefined;
}
