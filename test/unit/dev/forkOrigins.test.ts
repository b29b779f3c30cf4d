import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findDevDirectory } from '../../../src/cli/dev/devDirectory.ts';
import { openForkOrigins } from '../../../src/cli/dev/forkOrigins.ts';
import { ConfigurationError } from '../../../src/platform/config/configurationError.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'forks-'));
});
afterEach(() => rmSync(root, { recursive: true }));

test.each([
  ['cut off', '{"59141":{"blockNum'],
  ['empty', ''],
  ['of another shape', '{"59141":7}'],
])('a file of forks that is %s is named, and what to do about it is said', async (_, text) => {
  const directory = findDevDirectory({ LOCAL_DIR: root });
  mkdirSync(directory.chains, { recursive: true });
  writeFileSync(directory.forksFile, text);
  const opening = openForkOrigins(directory, []);
  await expect(opening).rejects.toBeInstanceOf(ConfigurationError);
  await expect(opening).rejects.toThrow(
    `${directory.forksFile} is damaged, so that its forks cannot be continued: begin anew with --reset, or elsewhere with LOCAL_DIR`,
  );
});
