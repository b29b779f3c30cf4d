import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';

const program = fileURLToPath(new URL('support/flushRows.ts', import.meta.url));
const printed = z.strictObject({ bytes: z.number(), longest: z.number(), mostLogs: z.number() });

/** The longest text of this version of V8. */
const longestText = 2 ** 29 - 24;

test('rows that are together too long for one text are written in portions, and fewer logs are read at once', () => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE };
  const { stdout } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' });
  const { bytes, longest, mostLogs } = printed.parse(JSON.parse(stdout));
  expect(bytes).toBeGreaterThan(longestText);
  expect(longest).toBeLessThan(4 * 1_048_576);
  expect(mostLogs).toBe(800);
});
