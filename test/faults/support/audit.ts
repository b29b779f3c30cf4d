import type { Address, Hex } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { pingPong } from '../../../bench/pingPong.ts';
import { parseAddress, stateName } from '../../../src/protocol/index.ts';
import type { ServiceStack } from '../../support/serviceStack.ts';
import { createSingleCallClient } from '../../support/singleCalls.ts';
import type { Promised } from './caller.ts';
import { type ChainInput, readInputs } from './chainInputs.ts';
import { compareNonces } from './compareNonces.ts';
import { readServedInputs } from './servedInputs.ts';

/** The faults found, by kind. If the service works correctly, every list is empty. */
export type Findings = {
  /** Answered with success, but not on the chain. */
  lost: string[];
  /** On the chain more often than signed, or on the chain although no caller got an answer. */
  doubled: string[];
  /** Neither done nor failed, or a nonce that blocks later transactions. */
  jammed: string[];
  /** Served differently from the chain. */
  different: string[];
};

const queriesAtOnce = 8;

/** Compares everything promised and served with the chain. Call it when nothing is under way. */
export async function audit(
  stack: ServiceStack,
  { promised, baseUrl }: { promised: Promised; baseUrl: string },
): Promise<Findings & { transactions: number; fillers: number; reverted: number }> {
  const findings: Findings = { lost: [], doubled: [], jammed: [], different: [] };
  const inputs = await readInputs(stack);
  await compareDeployments(stack, promised, findings);
  compareInputs(inputs, promised, findings);
  await compareServed(stack, { inputs, promised, baseUrl }, findings);
  await findOpenRows(stack, findings);
  const counts = await compareNonces(stack, findings);
  // The relay has no competitors here, so nothing may revert.
  if (counts.reverted > 0) findings.doubled.push(`${counts.reverted} transactions reverted`);
  return { ...findings, ...counts };
}

/**
 * Checks that each deployment answered with success is on the chain exactly once, and that there are no
 * others.
 */
export async function compareDeployments(
  { client, factory }: ServiceStack,
  { deployments }: Promised,
  { lost, doubled }: Findings,
): Promise<void> {
  const events = await client.getContractEvents({
    address: factory,
    abi: agreementFactoryAbi,
    eventName: 'AgreementCreatedWithPermit',
    fromBlock: 0n,
  });
  const created = countBy(events, ({ args }) => args.signer ?? '');
  const wanted = countBy(deployments, ({ signer }) => signer);
  for (const signer of new Set([...created.keys(), ...wanted.keys()])) {
    const [is, should] = [created.get(signer) ?? 0, wanted.get(signer) ?? 0];
    if (is < should) lost.push(`${should - is} deployments by ${signer}`);
    if (is > should) doubled.push(`${is - should} deployments by ${signer}`);
  }
}

function compareInputs(inputs: readonly ChainInput[], promised: Promised, { lost, doubled }: Findings): void {
  const keyOf = (agreement: Address, payload: Hex) => `${agreement} ${payload}`;
  const accepted = countBy(inputs, ({ agreement, payload }) => keyOf(agreement, payload));
  for (const { id, agreement, payload } of promised.inputs) {
    const key = keyOf(agreement.address, payload);
    const count = accepted.get(key) ?? 0;
    if (count === 0) lost.push(`input ${id}`);
    if (count > 1) doubled.push(`input ${id}, ${count} times`);
    accepted.delete(key);
  }
  for (const key of accepted.keys())
    doubled.push(`an input that nobody was told of: ${key.slice(0, 42)} …${key.slice(-80)}`);
}

/** Compares records, states and whole histories with the chain, as callers read them. */
async function compareServed(
  { client, apiKey }: ServiceStack,
  { inputs, promised, baseUrl }: { inputs: readonly ChainInput[]; promised: Promised; baseUrl: string },
  { different }: Findings,
): Promise<void> {
  const service = createSingleCallClient({ baseUrl, apiKey });
  const compare = async ({ id }: { id: string }) => {
    const record = await service.agreements.get(id);
    const { status } = record;
    const address = parseAddress(record.address);
    if (!address || status !== 'Deployed') {
      different.push(`${id} is served as ${status}`);
      return;
    }
    const contract = { address, abi: agreementEngineAbi } as const;
    const [{ state }, current, served] = await Promise.all([
      service.agreements.getState(id),
      client.readContract({ ...contract, functionName: 'currentState' }),
      readServedInputs({ baseUrl, apiKey, id }),
    ]);
    const nameOf = (hash: Hex) => stateName(pingPong, hash) ?? hash;
    if (state !== nameOf(current)) different.push(`${id} is served as ${state}, not ${nameOf(current)}`);
    const expected = inputs
      .filter(({ agreement }) => agreement === address)
      .map(({ payload, from, to, txHash }) => `MINED ${payload} ${nameOf(from)} ${nameOf(to)} ${txHash}`);
    const shown = served.map(
      ({ status: is, payload, fromState, toState, txHash }) =>
        `${is} ${payload} ${fromState} ${toState} ${txHash}`,
    );
    // Histories are in the order of acceptance, which may differ from the chain's order.
    const [missing] = expected.filter((input) => !shown.includes(input));
    const [extra] = shown.filter((input) => !expected.includes(input));
    if (shown.length !== expected.length || missing || extra)
      different.push(
        `${id} has ${expected.length} inputs and is served with ${shown.length}: ${missing} ${extra}`,
      );
  };
  for (let at = 0; at < promised.deployments.length; at += queriesAtOnce)
    await Promise.all(promised.deployments.slice(at, at + queriesAtOnce).map(compare));
}

async function findOpenRows({ pool }: ServiceStack, { jammed, different }: Findings): Promise<void> {
  const { rows } = await pool.query<{ id: string; state: string; wallet_nonce: string | null }>(
    `select id, state, wallet_nonce from service.transactions where state not in ('mined', 'final')`,
  );
  for (const { id, state, wallet_nonce } of rows) {
    const list = state === 'failed' ? different : jammed;
    list.push(`transaction ${id} is ${state} with nonce ${wallet_nonce}`);
  }
}

function countBy<Thing>(things: readonly Thing[], keyOf: (thing: Thing) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const thing of things) counts.set(keyOf(thing), (counts.get(keyOf(thing)) ?? 0) + 1);
  return counts;
}
