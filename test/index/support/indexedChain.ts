import { catchUp, type Indexer, startIndexer, waitForHead } from '../../support/indexer.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { expectIndexEqualsChain } from './expectIndex.ts';
import { startTestChain } from './testChain.ts';

export type IndexedChain = Awaited<ReturnType<typeof startIndexedChain>>;

/** A chain and its index, which follows it from its first blocks on. The caller closes both. */
export async function startIndexedChain() {
  const database = await createTestDatabase();
  const chain = await startTestChain(84532);
  const start = async (): Promise<Indexer> => {
    const started = await startIndexer({ databaseUrl: database.url, chains: [chain] });
    await started.ready();
    await catchUp(database.url, [chain]);
    return started;
  };
  let indexer = await start();
  return {
    chain,
    /** The address of the indexer. */
    url: () => indexer.url,
    reachHead: async () => waitForHead(database.url, chain.chainId, await chain.latestHash()),
    expectEqual: () => expectIndexEqualsChain(database.url, chain),
    /** Runs while no indexer does; a new process catches up afterwards. */
    async duringPause(run: () => Promise<void>): Promise<void> {
      await indexer.stop();
      await run();
      indexer = await start();
    },
    async close(): Promise<void> {
      await indexer.stop();
      await chain.stop();
      await database.drop();
    },
  };
}
