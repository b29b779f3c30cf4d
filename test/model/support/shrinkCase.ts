import { compareCases, createReached, type Difference } from './compareCases.ts';
import type { ContractChain } from './contractChain.ts';
import { batchSize } from './contractChain.ts';
import type { ModelCase } from './modelCase.ts';

/** The smallest case found that still differs. It removes one part at a time. */
export async function shrinkCase(chain: ContractChain, difference: Difference): Promise<Difference> {
  let smallest = difference;
  for (;;) {
    const smaller = await findSmaller(chain, smallest.case);
    if (smaller === undefined) return smallest;
    smallest = smaller;
  }
}

async function findSmaller(chain: ContractChain, from: ModelCase): Promise<Difference | undefined> {
  const candidates = listSmaller(from);
  for (let start = 0; start < candidates.length; start += batchSize) {
    const batch = candidates.slice(start, start + batchSize);
    const [found] = await compareCases(chain, batch, createReached());
    if (found !== undefined) return found;
  }
  return undefined;
}

function listSmaller({ parameters, steps }: ModelCase): ModelCase[] {
  const withParameters = (part: Partial<ModelCase['parameters']>): ModelCase => ({
    parameters: { ...parameters, ...part },
    steps,
  });
  const { inputDefs, transitions, initVars, verifiers, actions } = parameters;
  const inParts = inputDefs.flatMap((inputDef, at) =>
    [
      ...without(inputDef.fields).map((fields) => ({ ...inputDef, fields })),
      ...without(inputDef.conditions).map((conditions) => ({ ...inputDef, conditions })),
      ...without(inputDef.verifierKeys).map((verifierKeys) => ({ ...inputDef, verifierKeys })),
    ].map((smaller) => withParameters({ inputDefs: inputDefs.with(at, smaller) })),
  );
  const inSteps = steps.flatMap((step, at) => {
    const { permit, ...plain } = step;
    const words = withoutWords(step.payload).map((payload) => ({ ...step, payload }));
    return [...(permit ? [plain] : []), ...words].map((smaller) => ({
      parameters,
      steps: steps.with(at, smaller),
    }));
  });
  return [
    ...without(steps).map((fewer) => ({ parameters, steps: fewer })),
    ...without(inputDefs).map((fewer) => withParameters({ inputDefs: fewer })),
    ...without(transitions).map((fewer) => withParameters({ transitions: fewer })),
    ...without(initVars).map((fewer) => withParameters({ initVars: fewer })),
    ...without(verifiers).map((fewer) => withParameters({ verifiers: fewer })),
    ...without(actions).map((fewer) => withParameters({ actions: fewer })),
    ...inParts,
    ...inSteps,
  ];
}

function without<Item>(items: readonly Item[]): Item[][] {
  return items.map((_, at) => items.toSpliced(at, 1));
}

function withoutWords(data: `0x${string}`): `0x${string}`[] {
  const words = data.slice(2).match(/.{1,64}/g) ?? [];
  return without(words).map((fewer) => `0x${fewer.join('')}` as const);
}
