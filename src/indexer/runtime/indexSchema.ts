import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';
import { indexViewsSchemaName } from '../../platform/database/indexNames.ts';
import type { Generations } from './chainRebuilds.ts';
import { readCode, readImportClosure } from './importClosure.ts';

const packageManifest = z.object({ version: z.string() });

/**
 * The name of the database schema for the index of this code and these chains. It differs whenever Ponder
 * would refuse to continue with the existing index. So an upgrade builds its index beside the one that is
 * being served.
 */
export function computeIndexSchemaName(options: {
  root: string;
  chains: readonly Pick<ChainConfiguration, 'chainId' | 'name' | 'factory'>[];
  startBlocks: ReadonlyMap<number, number>;
  generations?: Generations;
}): string {
  const hash = createHash('sha256');
  const add = (...parts: (string | number)[]) => hash.update(`${JSON.stringify(parts)}\n`);
  for (const name of ['ponder', 'viem']) add(name, readVersion(name));
  for (const { chainId, name, factory } of options.chains.toSorted((a, b) => a.chainId - b.chainId)) {
    const generation = options.generations?.get(chainId) ?? 0;
    add('chain', chainId, name, factory, options.startBlocks.get(chainId) ?? 0, generation);
  }
  for (const [file, code] of readIndexModules(options.root)) add('module', file, code);
  // Ponder compares this value literally, and refuses the index of another value.
  add('file', readFileSync(join(options.root, registration), 'utf8'));
  return `${indexViewsSchemaName}_${hash.digest('hex').slice(0, 12)}`;
}

const registration = 'src/indexer/ponder/src/index.ts';

/**
 * The modules that decide the rows of the index: handlers and tables with all of their imports, and the
 * followed chains and contracts.
 */
export function readIndexModules(root: string): [string, string][] {
  const modules = readImportClosure(root, ['ponder.schema.ts', registration]);
  // Its settings are hashed by value; of its imports only the ABIs matter.
  modules.set('ponder.config.ts', readCode(join(root, 'ponder.config.ts')));
  return [...modules].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Versions of the packages that decode on-chain data. */
function readVersion(name: string): string {
  const [start] = import.meta.resolve(name).split(`/node_modules/${name}/`);
  const manifest = new URL(`${start}/node_modules/${name}/package.json`);
  return packageManifest.parse(JSON.parse(readFileSync(manifest, 'utf8'))).version;
}
