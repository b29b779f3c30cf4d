import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Fails if the tables in code differ from the committed migrations: someone forgot to generate one. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const committed = join(root, 'src/platform/database/migrations');
const scratch = mkdtempSync(join(root, '.migrations-'));
try {
  cpSync(committed, scratch, { recursive: true });
  const before = readdirSync(scratch).length;
  execFileSync(
    join(root, 'node_modules/.bin/drizzle-kit'),
    [
      'generate',
      '--dialect=postgresql',
      '--casing=snake_case',
      '--schema=./src/platform/database/{schema,tables/*}.ts',
      `--out=./${relative(root, scratch)}`,
    ],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (readdirSync(scratch).length !== before) {
    console.error(
      'The migrations do not match the tables in code: run npm run migrations:generate and commit the result.',
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
