import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));

/** Where a development stack keeps everything that outlives it. */
export type DevDirectory = {
  root: string;
  /** Addresses, key and accounts of the stack, for people and programs that use it. */
  stackFile: string;
  lockFile: string;
  processesFile: string;
  relayersFile: string;
  encryptionKeyFile: string;
  logs: string;
  postgres: string;
  chains: string;
  /** At which blocks the chains were forked from public ones. */
  forksFile: string;
  /** Everything that a new beginning removes. */
  contents: string[];
};

/** `.local` in the project, or what `LOCAL_DIR` names. */
export function findDevDirectory(env: NodeJS.ProcessEnv): DevDirectory {
  const root = env.LOCAL_DIR ? resolve(env.LOCAL_DIR) : join(projectRoot, '.local');
  const paths = {
    stackFile: join(root, 'dev.json'),
    processesFile: join(root, 'processes.json'),
    relayersFile: join(root, 'relayers.json'),
    encryptionKeyFile: join(root, 'encryption.key'),
    logs: join(root, 'logs'),
    postgres: join(root, 'postgres'),
    chains: join(root, 'chains'),
    forksFile: join(root, 'forks.json'),
  };
  return { root, lockFile: join(root, 'dev.lock'), ...paths, contents: Object.values(paths) };
}
