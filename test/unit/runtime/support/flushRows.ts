import { Writable } from 'node:stream';
import { boundBatches } from '../../../../src/indexer/runtime/boundBatches.ts';

/**
 * Has Ponder write rows of large payloads, together longer than a string may be. Prints what was written, and how many logs Ponder
 * reads at once. With the argument `unbounded`, Ponder is as it comes.
 */
if (process.argv[2] !== 'unbounded') boundBatches();

const ponder = import.meta.resolve('ponder');
const load = (path: string) => import(new URL(path, ponder).href);
const { buildOptions } = await load('internal/options.js');
const { createIndexingCache } = await load('indexing-store/cache.js');
const { onchainTable, primaryKey } = await import('ponder');

const rows = 600;
const payload = `0x${'00'.repeat(500_000)}`;
const input = onchainTable(
  'inputs',
  (t) => ({ position: t.integer().notNull(), payload: t.hex().notNull(), note: t.text() }),
  (table) => ({ pk: primaryKey({ columns: [table.position] }) }),
);

const written = { bytes: 0, longest: 0, error: undefined as string | undefined };
const nothing = () => undefined;
const logger = { debug: nothing, warn: nothing, trace: nothing, info: nothing, child: () => logger };
const cache = createIndexingCache({
  common: {
    logger,
    metrics: {
      incrementIndexingCacheRequests: nothing,
      ponder_indexing_cache_query_duration: { observe: nothing },
    },
    options: { indexingCacheMaxBytes: 1e9 },
  },
  schemaBuild: { schema: { input } },
  crashRecoveryCheckpoint: undefined,
  eventCount: {},
});
cache.qb = {
  $dialect: 'postgres',
  wrap: async (run: (database: object) => unknown) => run({ execute: () => [] }),
  $client: {
    query: () =>
      new Writable({
        write(chunk: Buffer, _, done) {
          written.bytes += chunk.length;
          written.longest = Math.max(written.longest, chunk.length);
          done();
        },
      }),
  },
};
for (let position = 1; position <= rows; position++)
  cache.set({ table: input, key: { position }, row: { position, payload, note: 'a\tb' }, isUpdate: false });
await cache.flush().catch((error: unknown) => {
  written.error = String(error);
});
const cliOptions = { command: 'start', root: '.', config: 'ponder.config.ts', version: '0.0.0' };
console.log(JSON.stringify({ ...written, mostLogs: buildOptions({ cliOptions }).syncEventsQuerySize }));
