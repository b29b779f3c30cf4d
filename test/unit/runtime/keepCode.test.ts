import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepCode } from '../../../src/indexer/runtime/keepCode.ts';

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'kept-code-'));
});
afterEach(() => rmSync(cache, { recursive: true }));

test('what was made of a text is kept for that text alone', () => {
  const made: string[] = [];
  const make = (text: string) => {
    made.push(text);
    return text.toUpperCase();
  };
  const results = ['one', 'two', 'one', 'two'].map((text) => keepCode(text, { cache, make }));
  expect(results).toEqual(['ONE', 'TWO', 'ONE', 'TWO']);
  expect(made).toEqual(['one', 'two']);
});

test.each([
  ['without a cache', () => undefined],
  ['where the cache cannot be written', () => join(cache, 'file')],
])('%s it is made each time', (_, findCache) => {
  writeFileSync(join(cache, 'file'), '');
  let count = 0;
  const make = () => String(++count);
  const results = [1, 2].map(() => keepCode('text', { cache: findCache(), make }));
  expect(results).toEqual(['1', '2']);
});

test('a process takes the code of the modules from the compile cache of an earlier one', () => {
  const module = fileURLToPath(new URL('../../../src/indexer/runtime/importClosure.ts', import.meta.url));
  const script = `import { readCode } from ${JSON.stringify(module)}; console.log(readCode(${JSON.stringify(module)}));`;
  const read = () => {
    const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: cache };
    return spawnSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' })
      .stdout;
  };
  expect(read()).toContain('readImportClosure');
  const kept = readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /stripped\/[0-9a-f]{64}$/.test(path),
  );
  expect(kept).toHaveLength(1);
  writeFileSync(join(cache, kept[0] ?? ''), 'from the cache');
  expect(read()).toBe('from the cache\n');
});
