import { inputShape } from '../src/api/demo/served.ts';
import type { ServiceClient } from '../src/api/demo/serviceClient.ts';
import { type Distribution, summarise } from './distribution.ts';
import type { SignedInput } from './relayCalls.ts';
import type { SimulationWatch } from './simulationWatch.ts';

/** Milliseconds until a request is answered, how many of them the node took to simulate it, and what is left of each without that. */
export type Acceptance = { answerMs: Distribution; simulationMs: Distribution; beyondMs: Distribution };

export const acceptanceRounds = 400;
const warmUp = 20;

/** One request at a time, through an API that asks the node by way of `simulations`. */
export async function measureAcceptance(
  simulations: SimulationWatch,
  calls: readonly SignedInput[],
  service: ServiceClient,
): Promise<Acceptance> {
  const answerMs: number[] = [];
  const simulationMs: number[] = [];
  const beyondMs: number[] = [];
  for (const [at, { recordId, body }] of calls.slice(0, warmUp + acceptanceRounds).entries()) {
    simulations.take();
    const startedAt = performance.now();
    await service.post(`/agreements/${recordId}/input`, body, inputShape);
    const answered = performance.now() - startedAt;
    const simulated = simulations.take();
    if (simulated === 0) throw new Error('an input was accepted without a simulation');
    if (at < warmUp) continue;
    answerMs.push(answered);
    simulationMs.push(simulated);
    beyondMs.push(answered - simulated);
  }
  return {
    answerMs: summarise(answerMs),
    simulationMs: summarise(simulationMs),
    beyondMs: summarise(beyondMs),
  };
}
