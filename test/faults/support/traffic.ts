import { setTimeout as delay } from 'node:timers/promises';
import type { Address, Hex } from 'viem';
import { pick } from '../../support/random.ts';
import { createSingleCallClient } from '../../support/singleCalls.ts';
import { passTimeout, waitUntil } from '../../support/waitUntil.ts';
import type { Agreement } from './caller.ts';
import type { DoorInput } from './door.ts';
import { createInsistence } from './insistence.ts';
import type { ScenarioWorld } from './scenarioWorld.ts';
import { createSigner, type SignedInput, type Signer } from './signer.ts';

/** The signers' behaviour. */
export type Conduct = {
  /**
   * The inputs that they send to the door. If `shut` and `open` are among them, the order decides: the
   * service may refuse requests, and permits may fail.
   */
  readonly inputs: readonly DoorInput[];
  /** They also send permits to the contract themselves, and other content with the same nonce. */
  readonly isCompeting: boolean;
};

/** A record of what signers did, for comparing with the chain. */
export type Ledger = {
  /** The requests that the service answered with success. */
  readonly promised: { id: string; agreement: Address; payload: Hex; mayFail: boolean }[];
  /** Inputs sent directly to the contract. */
  readonly direct: Set<string>;
  refusals: number;
};

export const keyOf = ({ agreement, payload }: { agreement: Address; payload: Hex }) =>
  `${agreement} ${payload}`;

/**
 * How a permit also goes directly to the contract: not at all, before the service gets it, at the same time,
 * or as other content with the same nonce.
 */
const ways = ['service', 'before', 'meanwhile', 'other'] as const;
const longestRow = 4;
const pauseMs = 200;
const patienceMs = 60_000;
const repairMs = 5_000;

/**
 * A wallet that signs several permits in a row for one agreement, and starts the next row once none of them
 * is pending.
 */
export async function playSigner(
  world: ScenarioWorld,
  options: {
    agreements: readonly Agreement[];
    conduct: Conduct;
    ledger: Ledger;
    random(): number;
    isOver(): boolean;
    onRefusal(description: string): void;
  },
): Promise<void> {
  const { agreements, conduct, ledger, random, isOver } = options;
  const { stack, baseUrl } = world;
  const mayFail = conduct.isCompeting || conduct.inputs.length > 1;
  const signer = createSigner(stack);
  const taken = new Map<Address, bigint>();
  const insist = createInsistence([createSingleCallClient({ baseUrl, apiKey: stack.apiKey })], {
    random,
    onRetry() {},
    onRefusal(error) {
      ledger.refusals++;
      const isOwnDoing = mayFail && error instanceof Error && 'status' in error && Number(error.status) < 500;
      if (!isOwnDoing) options.onRefusal(String(error));
    },
  });

  const submit = async (signed: SignedInput): Promise<string | undefined> => {
    const input = await insist((service) => service.agreements.submitInput(signed.agreement.id, signed.body));
    if (!input) return undefined;
    ledger.promised.push({
      id: input.id,
      agreement: signed.agreement.address,
      payload: signed.payload,
      mayFail,
    });
    return input.id;
  };
  const send = async (signed: SignedInput) => {
    const { address } = signed.agreement;
    ledger.direct.add(keyOf({ agreement: address, payload: signed.payload }));
    await world.sendDirectly({ to: address, data: signed.data, isFirst: random() < 0.5 });
  };
  const give = async (signed: SignedInput, inputId: DoorInput): Promise<string | undefined> => {
    const way = conduct.isCompeting ? pick(random, ways) : 'service';
    if (way === 'before') await send(signed);
    if (way === 'before' || way === 'service') return submit(signed);
    const { agreement, nonce } = signed;
    const other = way === 'other' ? await signer.sign(agreement, { inputId, nonce }) : signed;
    const [id] = await Promise.all([submit(signed), send(other)]);
    return id;
  };
  const playRow = async (agreement: Agreement) => {
    const first = await findNonce(signer, agreement, taken.get(agreement.address) ?? 0n);
    const length = 1 + Math.floor(random() * longestRow);
    const ids: string[] = [];
    for (let at = 0; at < length; at++) {
      const inputId = pick(random, conduct.inputs);
      const signed = await signer.sign(agreement, { inputId, nonce: first + BigInt(at) });
      const id = await give(signed, inputId);
      if (id === undefined) break;
      ids.push(id);
    }
    const mined = await awaitSettled(world, ids);
    taken.set(agreement.address, first + BigInt(mined));
  };
  while (!isOver()) {
    await playRow(pick(random, agreements));
    await delay(pauseMs * random());
  }
}

/**
 * The next nonce. The relay sends inputs again that a reorg removed, so this waits for all nonces taken so
 * far. Other content with the same nonce does not come back, so the wait is limited.
 */
async function findNonce(signer: Signer, agreement: Agreement, taken: bigint): Promise<bigint> {
  const isBack = async () => ((await signer.readNonce(agreement)) ?? -1n) >= taken;
  await waitUntil('the chain has all that it had', isBack, repairMs).catch(passTimeout);
  return waitUntil('the agreement is there', () => signer.readNonce(agreement), patienceMs);
}

/**
 * Waits until none of these inputs is pending, and returns the number of mined ones. If that takes too long,
 * the audit reports the rest.
 */
async function awaitSettled({ stack }: ScenarioWorld, ids: readonly string[]): Promise<number> {
  const read = async () => {
    const query = 'select status from service.inputs where id = any($1)';
    return (await stack.pool.query<{ status: string }>(query, [ids])).rows;
  };
  const isSettled = async () => (await read()).every(({ status }) => status !== 'PENDING');
  await waitUntil('nothing is pending', isSettled, patienceMs).catch(passTimeout);
  return (await read()).filter(({ status }) => status === 'MINED').length;
}
