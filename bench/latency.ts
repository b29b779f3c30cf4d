import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createPublicClient, createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../abis/AgreementEngine.ts';
import { awaitReceipt } from '../contracts-test/awaitReceipt.ts';
import { signDeployPermit } from '../src/api/demo/permits.ts';
import { recordShape, stateShape } from '../src/api/demo/served.ts';
import { createServiceClient } from '../src/api/demo/serviceClient.ts';
import type { DevStack } from '../src/api/dev/devStack.ts';
import { encodeInputPayload, nameHash } from '../src/protocol/index.ts';
import { type Distribution, summarise } from './distribution.ts';
import { pingPong } from './pingPong.ts';

const warmUpRounds = 10;
const pauseMs = 50;
const overdueMs = 10_000;

/**
 * How long after its sender has seen a transaction mined the service serves what it changed: milliseconds from the receipt to
 * the first answer of `GET …/state` with the new state and a block not before the receipt's. Inputs are sent straight to the
 * contract, one at a time, by a wallet of the stack; a first few rounds do not count.
 */
export async function measureLatency(options: {
  stack: DevStack;
  chainId: number;
  rounds: number;
}): Promise<Distribution> {
  const { stack, chainId, rounds } = options;
  const chain = stack.chains.find((candidate) => candidate.chainId === chainId);
  const [owner] = stack.accounts.slice(-3);
  if (!chain || !owner) throw new Error(`the stack has no chain ${chainId}`);
  const account = privateKeyToAccount(owner.privateKey);
  const transport = http(chain.rpcUrl);
  const client = createPublicClient({ transport, cacheTime: 0, pollingInterval: 1 });
  const wallet = createWalletClient({ account, transport });
  const service = createServiceClient(stack);

  const documentId = randomUUID();
  const docUri = `${stack.baseUrl}/v0/agreements/documents/${documentId}`;
  const request = { agreement: pingPong, chainId, docUri, documentId, displayName: 'Latency benchmark' };
  const permit = await signDeployPermit({ ...request, ...chain, client, values: {}, account });
  const record = await service.post('/agreements/deploy-with-permit', { ...request, ...permit }, recordShape);
  const { address } = record;
  if (!address) throw new Error(`${record.id} is still a Draft`);

  const measured: number[] = [];
  for (let round = -warmUpRounds; round < rounds; round++) {
    const hash = await wallet.writeContract({
      address,
      abi: agreementEngineAbi,
      functionName: 'submitInput',
      args: [nameHash('hit'), encodeInputPayload(pingPong, 'hit', { note: `round ${round}` })],
      chain: null,
    });
    const receipt = await awaitReceipt(client, hash);
    const receivedAt = performance.now();
    const expected = (round + warmUpRounds) % 2 === 0 ? 'PONG' : 'PING';
    for (;;) {
      const { state, blockNumber } = await service.get(`/agreements/${record.id}/state`, stateShape);
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
