import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';

const program = fileURLToPath(new URL('support/lookIntoBlooms.ts', import.meta.url));
const printed = z.object({ found: z.array(z.array(z.boolean())), looks: z.array(z.boolean()) });

function look(...options: string[]): z.output<typeof printed> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE };
  const { stdout } = spawnSync(process.execPath, [program, ...options], { env, encoding: 'utf8' });
  return printed.parse(JSON.parse(stdout));
}

test('what a block has is hashed once, and its bloom filter says the same as before', () => {
  const { found, looks } = look();
  const before = look('unedited');
  expect(looks).toEqual([true, true]);
  expect(before.looks).toEqual([true, false]);
  expect(found).toEqual(before.found);
  const [first, second, empty] = found;
  expect(first?.slice(0, 20)).toEqual(Array(20).fill(true));
  expect(first?.slice(20)).toContain(false);
  expect(second?.slice(10)).toEqual(Array(30).fill(true));
  expect(empty).toEqual(Array(40).fill(false));
});
