import { setTimeout as delay } from 'node:timers/promises';
import type { DevStack } from '../src/cli/dev/devStack.ts';
import { createSingleCallClient } from '../test/support/singleCalls.ts';
import { type Distribution, summarise } from './distribution.ts';
import { deployPingAgreement } from './pingAgreement.ts';

const warmUpRounds = 10;
const pauseMs = 50;
const overdueMs = 10_000;

/**
 * Milliseconds from a transaction's receipt at its sender to the first answer of `GET …/state` with the new
 * state and a block not before the receipt's. Inputs are sent directly to the contract, one at a time, by a
 * wallet of the stack; the first few rounds do not count.
 */
export async function measureLatency(options: {
  stack: DevStack;
  chainId: number;
  rounds: number;
}): Promise<Distribution> {
  const { stack, chainId, rounds } = options;
  const client = createSingleCallClient(stack);
  const displayName = 'Latency benchmark';
  const agreement = await deployPingAgreement({ stack, client, chainId, displayName, accountFromEnd: 3 });

  const measured: number[] = [];
  for (let round = -warmUpRounds; round < rounds; round++) {
    const receipt = await agreement.hit(`round ${round}`);
    const receivedAt = performance.now();
    const expected = (round + warmUpRounds) % 2 === 0 ? 'PONG' : 'PING';
    for (;;) {
      const { state, blockNumber } = await client.agreements.getState(agreement.id);
      const servedAt = performance.now();
      if (state === expected && blockNumber != null && BigInt(blockNumber) >= receipt.blockNumber) {
        if (round >= 0) measured.push(servedAt - receivedAt);
        break;
      }
      if (servedAt - receivedAt > overdueMs)
        throw new Error(`${expected} is not served after ${overdueMs} ms`);
      await delay(1);
    }
    await delay(pauseMs);
  }
  return summarise(measured);
}
