import { type Address, getAbiItem, getAddress, type Hex, parseEventLogs } from 'viem';
import { z } from 'zod';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { pingPong } from '../../../bench/pingPong.ts';
import { parseAddress, stateName } from '../../../src/protocol/index.ts';
import type { ServiceStack } from '../../support/serviceStack.ts';
import { createSingleCallClient } from '../../support/singleCalls.ts';
import type { Promised } from './caller.ts';

/** What was found, by kind; without faults in the service every list is empty. */
export type Findings = {
  /** Answered with success, and not on the chain. */
  lost: string[];
  /** On the chain more often than it was signed for, or without anybody having been told so. */
  doubled: string[];
  /** Neither done nor failed, or a nonce that keeps others from being mined. */
  jammed: string[];
  /** Served otherwise than the chain has it. */
  different: string[];
};

type ChainInput = { agreement: Address; payload: Hex; from: Hex; to: Hex; txHash: Hex };

const queriesAtOnce = 8;
const receiptsAtOnce = 100;

/** Compares all that was promised, and all that is served, with the chain. For when nothing is under way any more. */
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
  return { ...findings, ...(await compareNonces(stack, findings)) };
}

async function compareDeployments(
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

/** Records, states and whole histories, as callers read them. */
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
    // Served in the order of acceptance, which need not be that of the chain.
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

/** Each nonce of each wallet was used by exactly one of the forms that were signed for it, and the counter is the next one. */
async function compareNonces(stack: ServiceStack, { jammed, doubled }: Findings) {
  const { pool, client, reader, relayers } = stack;
  const { rows } = await pool.query<{
    wallet: Address;
    nonce: string;
    hash: Hex;
    transaction_id: string | null;
  }>(
    `select wallet, wallet_nonce as nonce, tx_hash as hash, transaction_id from service.transaction_attempts order by id`,
  );
  const mined = new Map<string, { isFiller: boolean; isReverted: boolean }>();
  for (let at = 0; at < rows.length; at += receiptsAtOnce) {
    const page = rows.slice(at, at + receiptsAtOnce);
    const receipts = await Promise.all(
      page.map(({ hash }) => reader.request({ method: 'eth_getTransactionReceipt', params: [hash] })),
    );
    for (const [index, { wallet, nonce, transaction_id }] of page.entries()) {
      const receipt = receipts[index];
      if (!receipt?.blockNumber) continue;
      const isReverted = receipt.status === '0x0';
      mined.set(`${wallet} ${nonce}`, { isFiller: transaction_id === null, isReverted });
    }
  }
  const wallets = await pool.query<{ address: Address; next_nonce: string }>(
    'select address, next_nonce from service.relayer_wallets',
  );
  for (const address of relayers) {
    const count = await client.getTransactionCount({ address });
    const next = Number(wallets.rows.find((wallet) => wallet.address === address)?.next_nonce);
    if (next !== count) jammed.push(`${address} would go on with nonce ${next}, not ${count}`);
    for (let nonce = 0; nonce < count; nonce++)
      if (!mined.has(`${address} ${nonce}`)) jammed.push(`nonce ${nonce} of ${address} is not of the outbox`);
    const pending = await client.getTransactionCount({ address, blockTag: 'pending' });
    if (pending !== count) jammed.push(`${address} has ${pending - count} transactions in the mempool`);
  }
  const outcomes = [...mined.values()];
  const reverted = outcomes.filter(({ isReverted }) => isReverted).length;
  if (reverted > 0) doubled.push(`${reverted} transactions reverted`);
  return {
    transactions: outcomes.length,
    fillers: outcomes.filter(({ isFiller }) => isFiller).length,
    reverted,
  };
}

/** Every input that any agreement has accepted, in the chain's order. */
async function readInputs({ client }: ServiceStack): Promise<ChainInput[]> {
  const event = getAbiItem({ abi: agreementEngineAbi, name: 'InputAccepted' });
  const logs = await client.getLogs({ event, fromBlock: 0n });
  return parseEventLogs({ abi: [event], logs }).map(({ address, args, transactionHash }) => ({
    agreement: getAddress(address),
    payload: args.payload,
    from: args.fromState,
    to: args.toState,
    txHash: transactionHash,
  }));
}

const pageShape = z.object({
  data: z.array(
    z.object({
      status: z.string(),
      payload: z.string(),
      fromState: z.string().optional(),
      toState: z.string().optional(),
      txHash: z.string().nullish(),
    }),
  ),
  pageInfo: z.object({ nextCursor: z.string().nullable() }),
});

async function readServedInputs({ baseUrl, apiKey, id }: { baseUrl: string; apiKey: string; id: string }) {
  const inputs: z.output<typeof pageShape>['data'] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const url = `${baseUrl}/v0/agreements/${id}/inputs?limit=100${query}`;
    const response = await fetch(url, { headers: { 'x-api-key': apiKey } });
    const page = pageShape.parse(await response.json());
    inputs.push(...page.data);
    cursor = page.pageInfo.nextCursor;
  }
  return inputs;
}

function countBy<Thing>(things: readonly Thing[], keyOf: (thing: Thing) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const thing of things) counts.set(keyOf(thing), (counts.get(keyOf(thing)) ?? 0) + 1);
  return counts;
}
