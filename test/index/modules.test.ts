import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { programSources } from '../../src/cli/build/builtPrograms.ts';
import { listSources } from '../../src/cli/build/listSources.ts';
import { startAnvil } from '../../src/cli/devtools/anvil.ts';
import { readImportClosure } from '../../src/indexer/runtime/importClosure.ts';
import { readIndexModules } from '../../src/indexer/runtime/indexSchema.ts';
import { startIndexer } from '../support/indexer.ts';
import { createTestDatabase } from '../support/postgres.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const root = fileURLToPath(new URL('../..', import.meta.url));
/**
 * Files that Ponder loads in addition: its own root, the served API, and the settings, which are hashed by
 * value.
 */
const beside = [
  ...readImportClosure(root, ['ponder.config.ts']).keys(),
  'src/indexer/ponder/ponder.config.ts',
  'src/indexer/ponder/ponder.schema.ts',
  'src/indexer/ponder/src/api/index.ts',
];

test('the modules behind the index name are exactly those that Ponder loads, and it transforms no package and changes no source', async () => {
  const sources = listSources(root, programSources);
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const anvil = await startAnvil({ chainId: 59141 });
  cleanups.push(() => anvil.stop());
  const directory = await mkdtemp(join(tmpdir(), 'index-modules-'));
  cleanups.push(() => rm(directory, { recursive: true }));
  const list = join(directory, 'modules');
  const recorder = fileURLToPath(new URL('support/recordModules.ts', import.meta.url));
  const indexer = await startIndexer({
    databaseUrl: database.url,
    chains: [{ chainId: 59141, rpcUrl: anvil.rpcUrl }],
    env: { NODE_OPTIONS: `--import ${recorder}`, RECORDED_MODULES: list },
  });
  cleanups.push(() => indexer.stop());
  await indexer.ready();

  const read = (await readFile(list, 'utf8')).split('\n').map((path) => relative(root, path));
  // Node itself loads package modules. It is faster than Ponder's loader, and has already loaded most of
  // them.
  expect(read.filter((path) => path.includes('node_modules') && /\.m?js$/.test(path))).toEqual([]);
  const loaded = new Set(read.filter((path) => path.endsWith('.ts') && !/^\.\.|node_modules/.test(path)));
  const named = readIndexModules(root).map(([file]) => file);
  expect([...loaded].sort()).toEqual([...new Set([...named, ...beside])].sort());
  // If Ponder changed a source, the next start would make another build.
  expect(listSources(root, programSources)).toEqual(sources);
});
