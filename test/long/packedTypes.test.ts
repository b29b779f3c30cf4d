import { execFile } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PackedClient, packClient, root } from '../client/support/packedClient.ts';

const run = promisify(execFile);

let packed: PackedClient;
beforeAll(async () => {
  packed = await packClient();
});
afterAll(() => packed?.dispose());

test('the packed client compiles in a strict project', async () => {
  await copyFile(join(root, 'test/client/consumer/useAll.ts'), join(packed.directory, 'useAll.mts'));
  const options = {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      module: 'nodenext',
      types: [],
    },
    files: ['useAll.mts'],
  };
  await writeFile(join(packed.directory, 'tsconfig.json'), JSON.stringify(options));
  const compile = run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    packed.directory,
  ]);
  const { stdout } = await compile.catch((error: { stdout: string }) => error);
  const own = stdout.split('\n').filter((line) => !line.includes('node_modules/viem'));
  expect(own.filter((line) => line.includes('error'))).toEqual([]);
});
