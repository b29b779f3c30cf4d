import { startStandInWorker } from './standInWorker.ts';
import { chainId, offerWallet, startTestChain } from './testChain.ts';
import { startTestService } from './testService.ts';

type OnClose = (close: () => Promise<unknown>) => void;

/**
 * The API with a chain, a wallet that could send, and a principal. Nothing sends or folds. The caller closes
 * it.
 */
export function startChainService(env: Readonly<Record<string, string>>) {
  return withClose((onClose) => start(env, onClose));
}
export type ChainService = Awaited<ReturnType<typeof startChainService>>;

/** The same with a stand-in worker. It sends, and folds on request. The caller closes it. */
export function startWorkedService(env: Readonly<Record<string, string>>) {
  return withClose(async (onClose) => {
    const started = await start(env, onClose);
    const worker = await startStandInWorker(started.service, started.chain);
    onClose(worker.stop);
    return { ...started, worker };
  });
}
export type WorkedService = Awaited<ReturnType<typeof startWorkedService>>;

async function start(env: Readonly<Record<string, string>>, onClose: OnClose) {
  const chain = await startTestChain();
  onClose(chain.stop);
  const service = await startTestService({ rpcUrls: { [chainId]: chain.rpcUrl }, env });
  onClose(service.close);
  const principal = await service.createPrincipal();
  await offerWallet(service, chain);
  return { chain, service, principal };
}

/** Closes everything opened, the last first, on request or if the start fails. */
async function withClose<Started extends object>(
  run: (onClose: OnClose) => Promise<Started>,
): Promise<Started & { close(): Promise<void> }> {
  const closings: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of closings.splice(0).reverse()) await end();
  };
  try {
    return { ...(await run((end) => closings.push(end))), close };
  } catch (error) {
    await close();
    throw error;
  }
}
