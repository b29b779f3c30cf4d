import type { Address } from 'viem';
import {
  applyInput,
  compileAgreement,
  createEngine,
  type Engine,
  encodeInputPayload,
  nameHash,
} from '../../../src/protocol/index.ts';
import { listInputIds } from '../../../src/protocol/inputDefinitions.ts';
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
  return listInputIds(new JsonCursor(agreement)).flatMap((name) => {
    const inputId = nameHash(name);
    const payloads = inventInputs(agreement, name).map((values) =>
      encodeInputPayload(agreement, name, values),
    );
    return payloads.flatMap((payload) => [
      ...[...actors.map(({ address }) => address), emptyAddress].map((sender) => ({
        inputId,
        payload,
        sender,
      })),
      ...actors.map((_, signer) => ({
        inputId,
        payload,
        sender: emptyAddress,
        permit: { signer, nonceOffset: 0, secondsLeft: 60 },
      })),
    ]);
  });
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
