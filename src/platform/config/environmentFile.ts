import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const environmentFile = fileURLToPath(new URL('../../../.env', import.meta.url));

/**
 * Adds what `.env` in the project's directory says to the environment of this process, where that says nothing yet. For
 * programs that a person starts by hand, and never for one that must not see all of the file: the API and the indexer get
 * their environment, without relayer keys, from whoever starts them.
 */
export function loadEnvironmentFile(): void {
  if (existsSync(environmentFile)) process.loadEnvFile(environmentFile);
}
