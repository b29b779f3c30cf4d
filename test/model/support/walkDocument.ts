import type { Address, Hex } from 'viem';
import {
  applyInput,
  compileAgreement,
  createEngine,
  type Engine,
  encodeInputPayload,
  nameHash,
  ValuesError,
  type WireValues,
} from '../../../src/protocol/index.ts';
import { readInputs } from '../../../src/protocol/inputDefinitions.ts';
import { JsonCursor } from '../../../src/protocol/jsonCursor.ts';
import { inventInputs, inventVariables } from './inventValues.ts';
import { actors, emptyAddress, type ModelCase, type Step } from './modelCase.ts';

/** The largest number of moments of one document. A moment is a state with its stored values. */
const maxMoments = 200;
/** The number of refused inputs in one case; they change nothing. */
const refusedPerCase = 40;

/**
 * Cases that cover all paths through a document. At every reachable moment they try every input by every
 * actor and by a stranger, with and without a permit, with good and bad values.
 */
export function walkDocument(agreement: unknown): ModelCase[] {
  const parameters = {
    ...compileAgreement(agreement, { values: inventVariables(agreement) }),
    owner: ownerAddress,
  };
  const attempts = listAttempts(agreement);
  const seen = new Set<string>();
  const cases: ModelCase[] = [];
  const moments: { engine: Engine; path: readonly Step[] }[] = [
    { engine: createEngine(parameters), path: [] },
  ];
  for (const { engine, path } of moments) {
    const refused: Step[] = [];
    for (const step of attempts) {
      const outcome = play(engine, step);
      if (outcome === null) refused.push(step);
      else {
        cases.push({ parameters, steps: [...path, step] });
        const key = describeMoment(outcome);
        if (!seen.has(key) && moments.length < maxMoments)
          moments.push({ engine: outcome, path: [...path, step] });
        seen.add(key);
      }
    }
    for (let start = 0; start < refused.length; start += refusedPerCase) {
      cases.push({ parameters, steps: [...path, ...refused.slice(start, start + refusedPerCase)] });
    }
  }
  return cases;
}

const ownerAddress: Address = '0x00000000000000000000000000000000000a00ff';

function listAttempts(agreement: unknown): Step[] {
  const inputs = readInputs(new JsonCursor(agreement));
  const literals = inputs.flatMap(({ issuer }) => issuer.literals);
  const senders = new Set([...actors.map(({ address }) => address), emptyAddress, ...literals]);
  return inputs.flatMap(({ id }) => {
    const inputId = nameHash(id);
    const payloads = inventInputs(agreement, id).flatMap((values) => encodeFitting(agreement, id, values));
    return [...new Set(payloads)].flatMap((payload) => [
      ...[...senders].map((sender) => ({ inputId, payload, sender })),
      ...actors.map((_, signer) => ({
        inputId,
        payload,
        sender: emptyAddress,
        permit: { signer, nonceOffset: 0, secondsLeft: 60 },
      })),
    ]);
  });
}

/** Empty for values that nothing encodes: fields of one name may have types that exclude each other. */
function encodeFitting(agreement: unknown, inputId: string, values: WireValues): Hex[] {
  try {
    return [encodeInputPayload(agreement, inputId, values)];
  } catch (error) {
    if (error instanceof ValuesError) return [];
    throw error;
  }
}

/** The engine after the step; null if the step is refused. */
function play(engine: Engine, { permit, ...call }: Step): Engine | null {
  const sender = permit === undefined ? call.sender : (actors[permit.signer]?.address ?? call.sender);
  const outcome = applyInput(engine, { ...call, sender, time: 0n });
  return outcome.ok ? outcome.engine : null;
}

function describeMoment({ state, variables }: Engine): string {
  return JSON.stringify([state, [...variables.entries()].sort(([a], [b]) => (a < b ? -1 : 1))]);
}
