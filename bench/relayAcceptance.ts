import { createPublicClient, http } from 'viem';
import { agreementEngineAbi } from '../abis/AgreementEngine.ts';
import { inputShape } from '../src/api/demo/served.ts';
import type { ServiceClient } from '../src/api/demo/serviceClient.ts';
import type { ServiceStack } from '../test/support/serviceStack.ts';
import { type Distribution, summarise } from './distribution.ts';
import type { SignedInput } from './relayCalls.ts';

/** Milliseconds of the answer, of what the simulation alone takes, and of what the request takes beyond that. */
export type Acceptance = { answerMs: Distribution; simulationMs: Distribution; beyondMs: Distribution };

export const acceptanceRounds = 200;
const warmUp = 10;

/** One request at a time, each followed by the questions to the node that decide about it, by themselves. */
export async function measureAcceptance(
  stack: ServiceStack,
  calls: readonly SignedInput[],
  service: ServiceClient,
): Promise<Acceptance> {
  const client = createPublicClient({
    transport: http(stack.rpcUrl, { batch: { batchSize: 20 } }),
    cacheTime: 0,
  });
  const [from] = stack.relayers;
  const answerMs: number[] = [];
  const simulationMs: number[] = [];
  const beyondMs: number[] = [];
  for (let round = -warmUp; round < acceptanceRounds; round++) {
    const [sent, simulated] = calls.slice(2 * (round + warmUp));
    if (!sent || !simulated || !from) break;
    const simulationStartedAt = performance.now();
    const { to, data } = simulated;
    const reading = { address: to, abi: agreementEngineAbi } as const;
    await Promise.all([
      client.request({ method: 'eth_estimateGas', params: [{ from, to, data }] }),
      client.readContract({ ...reading, functionName: 'nonces', args: [from] }),
      client.readContract({ ...reading, functionName: 'currentState' }),
    ]);
    const startedAt = performance.now();
    await service.post(`/agreements/${sent.recordId}/input`, sent.body, inputShape);
    const endedAt = performance.now();
    if (round < 0) continue;
    simulationMs.push(startedAt - simulationStartedAt);
    answerMs.push(endedAt - startedAt);
    beyondMs.push(endedAt - startedAt - (startedAt - simulationStartedAt));
  }
  return {
    answerMs: summarise(answerMs),
    simulationMs: summarise(simulationMs),
    beyondMs: summarise(beyondMs),
  };
}
