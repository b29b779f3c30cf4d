import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));

/** The directory for everything that outlives a development stack. */
export type DevDirectory = {
  root: string;
  /** Addresses, key and accounts of the stack, for its users and programs. */
  stackFile: string;
  lockFile: string;
  processesFile: string;
  relayersFile: string;
  encryptionKeyFile: string;
  logs: string;
  postgres: string;
  chains: string;
  /** The blocks at which the chains were forked from public ones. */
  forksFile: string;
  /** Everything that a reset removes. */
  contents: string[];
};

/** `.local` in the project, or the directory in `LOCAL_DIR`. */
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
