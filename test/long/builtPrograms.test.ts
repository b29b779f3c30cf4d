import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ensureBuild, programSources } from '../../src/cli/build/builtPrograms.ts';
import { bundlePrograms } from '../../src/cli/build/bundlePrograms.ts';
import { listSources } from '../../src/cli/build/listSources.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'built-programs-'));
  mkdirSync(join(directory, 'src'));
  writeFileSync(join(directory, 'src/one.ts'), '1');
});
afterEach(() => rmSync(directory, { recursive: true }));

const builds = () => join(directory, 'dist');
const write = (path: string, text: string) => writeFileSync(join(directory, 'src', path), text);

function build(made: (directory: string) => void = () => {}): string {
  return ensureBuild({
    builds: builds(),
    sources: () => listSources(directory, ['src', 'missing.json']),
    build(to) {
      mkdirSync(to);
      made(to);
    },
  });
}

describe('programs', () => {
  test('are built once for the same sources, and again for a changed, a new or a removed one', () => {
    const built: string[] = [];
    const steps = [
      () => {},
      () => write('one.ts', '2 '),
      // Ponder writes this file at every start.
      () => write('ponder-env.d.ts', String(built.length)),
      () => {
        mkdirSync(join(directory, 'src/runtime/generated'), { recursive: true });
        write('runtime/generated/schema.graphql', String(built.length));
      },
      () => write('two.ts', '1'),
      () => rmSync(join(directory, 'src/two.ts')),
    ];
    for (const step of steps) {
      step();
      expect(build(() => built.push('built'))).toBe(build(() => built.push('twice')));
    }
    // Files that Ponder writes are no sources. Without the removed source, the build is the earlier one.
    expect(built).toEqual(['built', 'built', 'built']);
  });

  test('of a source that changes during the build are not taken for those of the changed one', () => {
    const old = build(() => write('one.ts', 'changed'));
    expect(build()).not.toBe(old);
  });

  test('that could not be built are not there, nor any part of them', () => {
    const fail = () => {
      throw new Error('broken');
    };
    expect(() => build(fail)).toThrow('broken');
    expect(readdirSync(builds())).toEqual([]);
  });

  test('of another process that was faster are taken', () => {
    const other = build((to) => {
      const complete = to.slice(0, to.lastIndexOf('.'));
      mkdirSync(complete);
      writeFileSync(join(complete, 'api.js'), 'of the other process');
    });
    expect(readFileSync(join(other, 'api.js'), 'utf8')).toBe('of the other process');
    expect(readdirSync(builds())).toHaveLength(1);
  });

  test('of earlier sources stay for a day, for processes that still run, and the last few stay longer', () => {
    const buildAnew = (at: number) => {
      write('one.ts', '1'.repeat(at + 2));
      return build();
    };
    const all = Array.from({ length: 8 }, (_, at) => buildAnew(at));
    expect(all.filter((path) => existsSync(path))).toEqual(all);
    for (const [at, path] of all.entries()) utimesSync(path, at, at);
    const last = buildAnew(8);
    expect([...all, last].filter((path) => existsSync(path))).toEqual([...all.slice(4), last]);
  });

  test('of a process that was killed while it built are removed after an hour', () => {
    const [old, recent] = [1, 2].map((pid) => join(builds(), `0123456789abcdef.${pid}`));
    for (const path of [old, recent]) mkdirSync(path ?? '', { recursive: true });
    utimesSync(old ?? '', 0, 0);
    build();
    expect([old, recent].map((path) => existsSync(path ?? ''))).toEqual([false, true]);
  });
});

describe('the programs of this project', () => {
  let built: string;
  let modules: string[];
  beforeAll(async () => {
    built = mkdtempSync(join(tmpdir(), 'built-programs-'));
    modules = await bundlePrograms(root, built);
  });
  afterAll(() => rmSync(built, { recursive: true }));

  test('are built again when one of their modules changes', () => {
    const own = modules.map((id) => relative(root, id)).filter((id) => !/^\.\.|node_modules|^\0/.test(id));
    expect(own.length).toBeGreaterThan(500);
    expect(
      own.filter((id) => !programSources.some((each) => id === each || id.startsWith(`${each}/`))),
    ).toEqual([]);
  });

  test.each([
    ['src/api/documents/renderThread.ts', 'Rendering took too long.'],
    ['src/indexer/runtime/schemaLock.ts', 'the thread that keeps the lock has ended'],
    ['src/worker/notifier/ruleRunner.ts', 'temporal rules fired'],
  ])('have source maps that lead to the lines of %s', (source, text) => {
    const lines = readFileSync(join(root, source), 'utf8').split('\n');
    expect(findSource(built, text)).toEqual({
      source,
      line: lines.findIndex((line) => line.includes(text)),
    });
  });
});

/** The source file and line (from 0) of a text in the built programs, according to their source maps. */
function findSource(built: string, text: string): { source: string; line: number } {
  for (const name of readdirSync(built).filter((each) => each.endsWith('.js'))) {
    const lines = readFileSync(join(built, name), 'utf8').split('\n');
    const line = lines.findIndex((each) => each.includes(text));
    if (line === -1) continue;
    const map = new SourceMap(JSON.parse(readFileSync(join(built, `${name}.map`), 'utf8')));
    const entry = map.findEntry(line, lines[line]?.indexOf(text) ?? 0);
    if ('originalSource' in entry)
      return { source: relative(root, join(built, entry.originalSource)), line: entry.originalLine };
  }
  throw new Error(`no source map leads from "${text}" to a source`);
}

test('processes that start at the same time without built programs do not disturb each other', async () => {
  const module = join(root, 'src/cli/build/builtPrograms.ts');
  const script = `
    import { mkdirSync, writeFileSync } from 'node:fs';
    const { ensureBuild } = await import(${JSON.stringify(module)});
    const build = (to) => { mkdirSync(to); for (const at of Array(500).keys()) writeFileSync(to + '/' + at, ''); };
    ensureBuild({ builds: ${JSON.stringify(builds())}, sources: () => [], build });`;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'inherit', 'inherit'],
    }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'close'))[0]));
  expect(codes).toEqual([0, 0, 0, 0]);
  const [name = '', ...others] = readdirSync(builds());
  expect(others).toEqual([]);
  expect(readdirSync(join(builds(), name))).toHaveLength(500);
});

test('an unknown program is refused by name', () => {
  const { stderr, status } = spawnSync(process.execPath, [join(root, 'src/cli/run.ts'), 'nothing'], {
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toBe('The programs are all, api, worker, indexer, dev, demo, admin.\n');
});
