import { readFileSync } from 'node:fs';
import { mayBeFile } from '../log/secretVariables.ts';
import { ConfigurationError } from './configurationError.ts';

const suffix = '_FILE';

/**
 * Puts the contents of the files in `<name>_FILE` into the environment, without surrounding white space, and
 * removes their paths. Containers pass secrets this way.
 *
 * @throws ConfigurationError with every file that cannot be read or is empty, and every variable that is there in both ways.
 */
export function loadSecretFiles(env: NodeJS.ProcessEnv): void {
  const problems: string[] = [];
  for (const [variable, path] of Object.entries(env)) {
    if (!variable.endsWith(suffix) || !path) continue;
    const name = variable.slice(0, -suffix.length);
    if (!mayBeFile(name)) continue;
    if (env[name]) {
      problems.push(`${name}: must not be set together with ${variable}`);
      continue;
    }
    try {
      const text = readFileSync(path, 'utf8').trim();
      if (text === '') problems.push(`${variable}: ${path} is empty`);
      env[name] = text;
      delete env[variable];
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
      problems.push(`${variable}: ${path} cannot be read${code}`);
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
}
