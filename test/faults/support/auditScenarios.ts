import type { Address, Hex } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { stateName } from '../../../src/protocol/index.ts';
import { createSingleCallClient } from '../../support/singleCalls.ts';
import { compareDeployments, type Findings } from './audit.ts';
import type { Agreement } from './caller.ts';
import { type ChainInput, readInputs } from './chainInputs.ts';
import { compareNonces } from './compareNonces.ts';
import { door } from './door.ts';
import type { ScenarioWorld } from './scenarioWorld.ts';
import { readServedInputs } from './servedInputs.ts';
import { keyOf, type Ledger } from './traffic.ts';

export type ScenarioFindings = Findings & {
  /** On the chain or served, although nobody signed or sent it. */
  invented: string[];
  /** Reverts of admitted inputs that no race explains. */
  unexplained: string[];
};

type Played = {
  readonly deployments: readonly { id: string; signer: Address }[];
  readonly agreements: readonly Agreement[];
  readonly ledger: Ledger;
};

/** Compares everything promised, sent and served with the chain. Call it when nothing is under way. */
export async function auditScenarios(
  world: ScenarioWorld,
  played: Played,
): Promise<ScenarioFindings & { transactions: number; fillers: number; reverted: number }> {
  const { stack } = world;
  const findings: ScenarioFindings = {
    lost: [],
    doubled: [],
    jammed: [],
    different: [],
    invented: [],
    unexplained: [],
  };
  const inputs = await readInputs(stack);
  await compareDeployments(stack, { deployments: [...played.deployments], inputs: [] }, findings);
  const failed = await compareServed(world, { inputs, agreements: played.agreements }, findings);
  compareInputs({ inputs, failed, ledger: played.ledger }, findings);
  const open = await stack.pool.query<{ id: string; state: string }>(
    `select id, state from service.transactions where state not in ('mined', 'final', 'failed')`,
  );
  for (const { id, state } of open.rows) findings.jammed.push(`transaction ${id} is ${state}`);
  const unexplained = world.races.filter((race) => race === 'none').length;
  const counted = (await world.readRevertMetrics()).get('none');
  if (counted === undefined) throw new Error('no worker counts reverts without a race');
  if (unexplained + counted > 0)
    findings.unexplained.push(`${unexplained} in the logs, ${counted} in the metrics`);
  return { ...findings, ...(await compareNonces(stack, findings)) };
}

function compareInputs(
  { inputs, failed, ledger }: { inputs: readonly ChainInput[]; failed: ReadonlySet<string>; ledger: Ledger },
  { lost, doubled, invented }: ScenarioFindings,
): void {
  const counts = new Map<string, number>();
  for (const input of inputs) counts.set(keyOf(input), (counts.get(keyOf(input)) ?? 0) + 1);
  for (const [key, count] of counts) if (count > 1) doubled.push(`${key}, ${count} times`);
  const known = new Set(ledger.promised.map(keyOf));
  for (const { id, mayFail, ...input } of ledger.promised) {
    if (counts.has(keyOf(input))) continue;
    if (!mayFail || !failed.has(id)) lost.push(`input ${id}, which is ${failed.has(id) ? 'FAILED' : 'not'}`);
  }
  for (const key of counts.keys())
    if (!known.has(key) && !ledger.direct.has(key)) invented.push(`${key.slice(0, 42)} …${key.slice(-80)}`);
}

/**
 * Compares each agreement's state and history with the chain, as callers read them. Returns the inputs that
 * are served as FAILED.
 */
async function compareServed(
  { stack, baseUrl }: ScenarioWorld,
  { inputs, agreements }: { inputs: readonly ChainInput[]; agreements: readonly Agreement[] },
  { different, invented }: ScenarioFindings,
): Promise<Set<string>> {
  const { client, apiKey } = stack;
  const service = createSingleCallClient({ baseUrl, apiKey });
  const failed = new Set<string>();
  const nameOf = (hash: Hex) => stateName(door, hash) ?? hash;
  for (const { id, address } of agreements) {
    const [{ state }, current, served] = await Promise.all([
      service.agreements.getState(id),
      client.readContract({ address, abi: agreementEngineAbi, functionName: 'currentState' }),
      readServedInputs({ baseUrl, apiKey, id }),
    ]);
    if (state !== nameOf(current)) different.push(`${id} is served as ${state}, not ${nameOf(current)}`);
    const expected = inputs
      .filter(({ agreement }) => agreement === address)
      .map(({ payload, from, to, txHash }) => `MINED ${payload} ${nameOf(from)} ${nameOf(to)} ${txHash}`);
    for (const input of served) if (input.status === 'FAILED') failed.add(input.id);
    const shown = served
      .filter(({ status }) => status !== 'FAILED')
      .map(
        ({ status, payload, fromState, toState, txHash }) =>
          `${status} ${payload} ${fromState} ${toState} ${txHash}`,
      );
    for (const input of expected) if (!shown.includes(input)) different.push(`${id} lacks ${input}`);
    for (const input of shown) if (!expected.includes(input)) invented.push(`${id} is served with ${input}`);
  }
  return failed;
}
