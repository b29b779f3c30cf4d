import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';

const program = fileURLToPath(new URL('support/listResolutions.ts', import.meta.url));
const printed = z.object({ byNode: z.array(z.string()), resolutions: z.array(z.string()) });

function list(...words: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE };
  return printed.parse(
    JSON.parse(spawnSync(process.execPath, [program, ...words], { env, encoding: 'utf8' }).stdout),
  );
}

test('each import is the module that Node itself would take, which is asked for an eighth of them at most', () => {
  const plain = list();
  const quick = list('quickly');
  expect(quick.resolutions).toEqual(plain.resolutions);
  expect(quick.byNode.length).toBeLessThan(plain.byNode.length / 8);
  // If several modules of a package import the same name, Node is asked only once.
  const ofDrizzle = quick.byNode.filter((line) => /\/drizzle-orm\/\S+ [a-z@]/.test(line));
  const names = ofDrizzle.map((line) => line.split(' ').at(1));
  expect(names).toEqual([...new Set(names)]);
});
