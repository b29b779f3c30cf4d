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

/** How signers behave. */
export type Conduct = {
  /** What they want of the door. Where it depends on what comes first, requests may be refused, and permits may fail. */
  readonly inputs: readonly DoorInput[];
  /** They send permits to the contract by themselves as well, and other content with the same nonce. */
  readonly isCompeting: boolean;
};

/** What signers have done: with it the chain is compared. */
export type Ledger = {
  /** What the service has answered with success. */
  readonly promised: { id: string; agreement: Address; payload: Hex; mayFail: boolean }[];
  /** What went to the contract by another way. */
  readonly direct: Set<string>;
  refusals: number;
};

export const keyOf = ({ agreement, payload }: { agreement: Address; payload: Hex }) =>
  `${agreement} ${payload}`;

/** Beside the service: not at all, before it hears of the permit, at the same time, or something else with the same nonce. */
const ways = ['service', 'before', 'meanwhile', 'other'] as const;
const longestRow = 4;
const pauseMs = 200;
const patienceMs = 60_000;
const repairMs = 5_000;

/** A wallet that signs permits in a row, each row to one agreement, and goes on with the next row when nothing of that is open. */
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

/** The next one. What a reorg took is sent again, and comes back; another's content with the same nonce does not. */
async function findNonce(signer: Signer, agreement: Agreement, taken: bigint): Promise<bigint> {
  const isBack = async () => ((await signer.readNonce(agreement)) ?? -1n) >= taken;
  await waitUntil('the chain has all that it had', isBack, repairMs).catch(passTimeout);
  return waitUntil('the agreement is there', () => signer.readNonce(agreement), patienceMs);
}

/** Waits until nothing of it is pending, and returns how many were mined. What does not settle is found by the audit. */
async function awaitSettled({ stack }: ScenarioWorld, ids: readonly string[]): Promise<number> {
  const read = async () => {
    const query = 'select status from service.inputs where id = any($1)';
    return (await stack.pool.query<{ status: string }>(query, [ids])).rows;
  };
  const isSettled = async () => (await read()).every(({ status }) => status !== 'PENDING');
  await waitUntil('nothing is pending', isSettled, patienceMs).catch(passTimeout);
  return (await read()).filter(({ status }) => status === 'MINED').length;
}
