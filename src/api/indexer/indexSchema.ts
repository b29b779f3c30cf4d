import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';
import type { ChainConfiguration } from '../config/configuration.ts';
import { indexViewsSchemaName } from '../database/indexNames.ts';

const packageManifest = z.object({ version: z.string() });

/**
 * The name of the database schema in which the index of this code and these chains lives: another name whenever Ponder
 * would refuse to go on with what is there. So an upgrade builds its index beside the one that is being served.
 */
export function computeIndexSchemaName(options: {
  /** Where ponder.config.ts lies. */
  root: string;
  chains: readonly Pick<ChainConfiguration, 'chainId' | 'name' | 'factory'>[];
  startBlocks: ReadonlyMap<number, number>;
}): string {
  const hash = createHash('sha256');
  const add = (...parts: (string | number)[]) => hash.update(`${JSON.stringify(parts)}\n`);
  add('ponder', readPonderVersion());
  for (const { chainId, name, factory } of options.chains.toSorted((a, b) => a.chainId - b.chainId)) {
    add('chain', chainId, name, factory, options.startBlocks.get(chainId) ?? 0);
  }
  for (const file of listIndexFiles(options.root)) {
    add('file', file, readFileSync(join(options.root, file), 'utf8'));
  }
  return `${indexViewsSchemaName}_${hash.digest('hex').slice(0, 12)}`;
}

/** What Ponder hashes (all of `src` but the service itself) and what these files import from elsewhere. */
function listIndexFiles(root: string): string[] {
  const list = (directory: string) =>
    readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(directory, name),
    );
  const sources = list('src').filter((name) => !name.startsWith(join('src', 'api')));
  const files = ['ponder.config.ts', 'ponder.schema.ts', ...sources, ...list('abis')];
  return files.filter((name) => name.endsWith('.ts')).sort();
}

function readPonderVersion(): string {
  const manifest = new URL('../../package.json', import.meta.resolve('ponder'));
  return packageManifest.parse(createRequire(import.meta.url)(manifest.pathname)).version;
}
