import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const environmentFile = fileURLToPath(new URL('../../../.env', import.meta.url));

/**
 * Adds the variables of `.env` in the project's directory that are not set in this process's environment.
 * Only for programs that people start by hand. A process that must not see the whole file must not call this:
 * API and indexer get their environment, without relayer keys, from their parent.
 */
export function loadEnvironmentFile(): void {
  if (existsSync(environmentFile)) process.loadEnvFile(environmentFile);
}
