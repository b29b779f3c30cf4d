import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listSources } from '../../src/cli/build/listSources.ts';
import { consoleDirectory } from './buildConsole.ts';

/** All sources of the built console except the packages, whose versions are in the lock file. */
const sources = ['console', 'client/src', 'src/protocol', 'package-lock.json'];
const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Whether the console is not built, or one of its sources has changed since. */
export function isConsoleStale(): boolean {
  const built = statSync(join(consoleDirectory, 'index.html'), { throwIfNoEntry: false });
  return !built || listSources(repository, sources).some(({ changedAtMs }) => changedAtMs > built.mtimeMs);
}
