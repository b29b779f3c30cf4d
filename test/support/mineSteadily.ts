import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceStack } from './serviceStack.ts';

const blockMs = 500;

/**
 * Mines blocks without transactions, as on public chains, because an indexer that has just started continues
 * only with the next block.
 */
export function mineSteadily({ client }: ServiceStack) {
  let isOver = false;
  const mining = (async () => {
    while (!isOver) {
      await client.mine({ blocks: 1 });
      await delay(blockMs);
    }
  })();
  mining.catch(() => {});
  return {
    async stop(): Promise<void> {
      isOver = true;
      await mining;
    },
  };
}
