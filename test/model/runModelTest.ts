import { createRandom } from '../support/random.ts';
import { compareCases, createReached, type Difference, type Reached } from './support/compareCases.ts';
import { batchSize, type ContractChain } from './support/contractChain.ts';
import { generateCase } from './support/generateCase.ts';
import type { ModelCase } from './support/modelCase.ts';
import { shrinkCase } from './support/shrinkCase.ts';

/** Concurrent requests: while the node runs one, the test prepares the next. */
const concurrency = 2;
/** The number of differences to shrink; more of them would show nothing new. */
const maxFindings = 5;

export type ModelReport = { readonly reached: Reached; readonly findings: readonly Difference[] };

/** The same seed gives the same cases. */
export function* generateCases(count: number, seed: number): Generator<ModelCase> {
  const seeds = createRandom(seed);
  for (let index = 0; index < count; index++) yield generateCase(createRandom(Math.floor(seeds() * 2 ** 32)));
}

/** Plays all cases in the model and on the contracts, and shrinks the first differing ones. */
export async function runModelTest({
  chain,
  cases,
  onProgress = () => {},
}: {
  chain: ContractChain;
  cases: Iterable<ModelCase>;
  onProgress?: (reached: Reached) => void;
}): Promise<ModelReport> {
  const reached = createReached();
  const differences: Difference[] = [];
  const batches = splitInBatches(cases);
  const work = async () => {
    for (const batch of batches) {
      differences.push(...(await compareCases(chain, batch, reached)));
      onProgress(reached);
      if (differences.length >= maxFindings) return;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const findings: Difference[] = [];
  for (const difference of differences.slice(0, maxFindings))
    findings.push(await shrinkCase(chain, difference));
  return { reached, findings };
}

function* splitInBatches(cases: Iterable<ModelCase>): Generator<ModelCase[]> {
  let batch: ModelCase[] = [];
  for (const modelCase of cases) {
    batch.push(modelCase);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
