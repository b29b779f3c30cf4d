import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const client = fileURLToPath(new URL('../../client/', import.meta.url));

test('the types of the client are those of the committed OpenAPI document', () => {
  const check = () =>
    execFileSync(
      process.execPath,
      [
        'node_modules/openapi-typescript/bin/cli.js',
        '../openapi.json',
        '--output',
        'src/openapi.ts',
        '--check',
      ],
      { cwd: client, stdio: 'pipe' },
    );
  expect(check).not.toThrow();
});
