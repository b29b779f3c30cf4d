import type { AnvilFork } from '../../../src/cli/devtools/anvil.ts';
import { createProjector } from '../../../src/worker/projector/projector.ts';
import { catchUp, startIndexer } from '../../support/indexer.ts';
import { silent } from '../projector/support/setup.ts';
import { startStandInWorker } from './standInWorker.ts';
import { chainId, offerWallet, startTestChain } from './testChain.ts';
import { startTestService } from './testService.ts';

/** The API with a chain, the indexer and the projector. Only the sending is done by a stand-in. */
export async function startIndexedService(env: Readonly<Record<string, string>> = {}, fork?: AnvilFork) {
  const closings: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of closings.splice(0).reverse()) await end();
  };
  try {
    return { ...(await start({ env, fork }, (closing) => closings.push(closing))), close };
  } catch (error) {
    await close();
    throw error;
  }
}
export type IndexedService = Awaited<ReturnType<typeof startIndexedService>>;

async function start(
  { env, fork }: { env: Readonly<Record<string, string>>; fork: AnvilFork | undefined },
  onClose: (closing: () => Promise<unknown>) => void,
) {
  const chain = await startTestChain(chainId, fork);
  onClose(chain.stop);
  const service = await startTestService({ rpcUrls: { [chainId]: chain.rpcUrl }, env });
  onClose(service.close);
  await offerWallet(service, chain);
  const worker = await startStandInWorker(service, chain);
  onClose(worker.stop);
  const { databaseUrl } = service;
  const chains = [{ chainId, rpcUrl: chain.rpcUrl }];
  const indexer = await startIndexer({ databaseUrl, chains });
  onClose(indexer.stop);
  await indexer.ready();
  await catchUp(databaseUrl, chains);

  const startProjector = () =>
    createProjector({
      pool: service.handle.pool,
      databaseUrl,
      chains: [{ chainId, confirmations: 1, reorgWindow: 60 }],
      logger: silent,
    });
  let projector = startProjector();
  onClose(() => projector.close());
  await projector.ready;

  return {
    chain,
    service,
    worker,
    indexer,
    /** Runs while nothing is folded; the index continues. */
    async holdFolding<Result>(run: () => Promise<Result>): Promise<Result> {
      await projector.close();
      try {
        return await run();
      } finally {
        projector = startProjector();
      }
    },
  };
}
