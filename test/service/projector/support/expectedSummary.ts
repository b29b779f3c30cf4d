import type { Address } from 'viem';
import { nameHash } from '../../../../src/protocol/names.ts';
import { type ChainAgreement, type ChainState, permitKey, replay } from './expectation.ts';
import { lampVariables } from './lamp.ts';
import { factory } from './setup.ts';
import { byId, byPlace, type InputSummary, type Summary } from './summary.ts';
import type { World } from './world.ts';
import { isOf, type PermitRow, type RecordRow } from './worldRows.ts';

/** The expected rows once everything that the index shows up to `through` is folded. */
export function expected(world: World, expired: Set<string>, through: number): Summary {
  const { blocks, head } = world.shown;
  const chain = replay(
    factory,
    blocks.filter(({ number }) => number <= through),
  );
  const ahead = replay(factory, blocks);
  const before = new Set(expired);
  const states = new Map(
    world.permits.map((permit) => {
      // If a later block has the permit's effect, that effect is not folded yet, but the permit has not
      // expired.
      const now = effectOf(permit, ahead) ? undefined : head?.timestamp;
      return [permit, stateOf(permit, chain, expired, now)] as const;
    }),
  );
  failSuccessors(
    world.permits.filter(({ transactionId }) => expired.has(transactionId) && !before.has(transactionId)),
    states,
    expired,
  );
  for (const [address, holder] of world.holders) {
    if (agreementAt(holder, chain)) continue;
    const others = world.records.filter((record) => record.address === address && agreementAt(record, chain));
    const newest = others.at(-1);
    if (newest) world.holders.set(address, newest);
  }
  const places = world.records.map((record) => ({ record, ...placeOf(record, world, chain, states) }));
  const moved = world.permits.filter(
    (permit) =>
      states.get(permit) === 'open' &&
      !effectOf(permit, ahead) &&
      hasLeft(permit, placesOf(permit, world, places), { chain, head: head?.number ?? 0 }),
  );
  for (const permit of moved) {
    states.set(permit, 'failed');
    expired.add(permit.transactionId);
  }
  failSuccessors(moved, states, expired);
  const all = places.flatMap(({ record, address, agreement }) =>
    expectedInputs(world, record, address, agreement, chain, states),
  );
  return {
    transactions: world.permits.map((permit) => expectedTransaction(permit, chain, states)).sort(byId),
    records: places.map(expectedRecord).sort(byId),
    inputs: all.sort(byPlace),
  };
}

type PermitState = 'open' | 'mined' | 'failed';
type States = ReadonlyMap<PermitRow, PermitState>;

function effectOf({ contract, signer, nonce }: PermitRow, chain: ChainState) {
  return chain.effects.get(permitKey(contract, signer, nonce));
}

/**
 * A transaction marked as expired stays expired until its effect is seen; `expired` remembers these
 * transactions, and those that failed because their agreement had moved.
 */
function stateOf(
  permit: PermitRow,
  chain: ChainState,
  expired: Set<string>,
  now: number | undefined,
): PermitState {
  const effect = effectOf(permit, chain);
  if (effect && effect.content === permit.content && effect.timestamp <= permit.deadline) {
    expired.delete(permit.transactionId);
    return 'mined';
  }
  if (effect) return 'failed';
  if (now !== undefined && now > permit.deadline) expired.add(permit.transactionId);
  return expired.has(permit.transactionId) ? 'failed' : 'open';
}

function placesOf(permit: PermitRow, world: World, places: readonly (Place & { record: RecordRow })[]) {
  const own = world.submissions.filter((submission) => submission.permit === permit);
  return places.filter(({ record }) => own.some(({ recordId }) => recordId === record.id));
}

/** Whether the agreement of each record of the input is Deployed elsewhere, or another one is at the signed address. */
function hasLeft(
  { contract }: PermitRow,
  places: readonly (Place & { record: RecordRow })[],
  { chain, head }: { chain: ChainState; head: number },
): boolean {
  const there = chain.agreements.get(contract);
  const isTaken = there !== undefined && there.deployedIn <= head;
  return (
    places.length > 0 &&
    places.every(({ address, agreement, hasError, record }) =>
      agreement
        ? address !== contract && agreement.deployedIn <= head
        : isTaken && (hasError || (!record.permit && !isOf(record, there))),
    )
  );
}

/** When a permit expires, the same signer's later open permits fail with it, and also stay failed. */
function failSuccessors(
  justExpired: readonly PermitRow[],
  states: Map<PermitRow, PermitState>,
  expired: Set<string>,
): void {
  for (const first of justExpired) {
    for (const [later, state] of states) {
      const isOfSame = later.contract === first.contract && later.signer === first.signer;
      if (!isOfSame || later.nonce <= first.nonce || state !== 'open') continue;
      states.set(later, 'failed');
      expired.add(later.transactionId);
    }
  }
}

function expectedTransaction(permit: PermitRow, chain: ChainState, states: States) {
  const state = states.get(permit) ?? 'open';
  const effect = effectOf(permit, chain);
  const id = permit.transactionId;
  return state === 'mined' && effect
    ? { id, state, txHash: effect.txHash, block: effect.block }
    : { id, state };
}

type Place = { address: Address | null; agreement: ChainAgreement | null; hasError: boolean };

/** The agreement that a record was requested for, if it is at the requested address. */
function agreementAt(record: RecordRow, chain: ChainState): ChainAgreement | null {
  const there = record.address && chain.agreements.get(record.address);
  return there && isOf(record, there) ? there : null;
}

function placeOf(record: RecordRow, { holders }: World, chain: ChainState, states: States): Place {
  const { permit, address } = record;
  if (!permit) {
    const isHolder = address !== undefined && holders.get(address) === record;
    return {
      address: isHolder ? address : null,
      agreement: agreementAt(record, chain),
      hasError: !isHolder,
    };
  }
  const state = states.get(permit);
  const at = state === 'mined' ? effectOf(permit, chain)?.agreement : undefined;
  const agreement = at && chain.agreements.get(at);
  return { address: at ?? null, agreement: agreement ?? null, hasError: state === 'failed' };
}

function expectedRecord({ record, address, agreement, hasError }: Place & { record: RecordRow }) {
  const { id } = record;
  if (!agreement) {
    const nothing = {
      state: null,
      stateHash: null,
      stateBlock: null,
      stateTimestamp: null,
      deployedIn: null,
    };
    const counts = { inputCount: 0, transitionCount: 0, lastInputId: null, behind: false };
    return {
      id,
      status: 'Draft' as const,
      address,
      hasError,
      ...nothing,
      variables: lampVariables,
      ...counts,
    };
  }
  return {
    id,
    status: 'Deployed' as const,
    address,
    hasError: false,
    state: agreement.state,
    stateHash: nameHash(agreement.state),
    stateBlock: agreement.stateBlock,
    stateTimestamp: agreement.stateTimestamp,
    deployedIn: agreement.deployedIn,
    variables: agreement.variables,
    inputCount: agreement.inputs.length,
    transitionCount: agreement.transitions,
    lastInputId: agreement.inputs.at(-1)?.name ?? null,
    behind: false,
  };
}

function expectedInputs(
  world: World,
  record: RecordRow,
  address: Address | null,
  agreement: ChainAgreement | null,
  chain: ChainState,
  states: States,
): InputSummary[] {
  const own = world.submissions.filter(({ recordId }) => recordId === record.id);
  const mined = new Map<number, string>();
  for (const { id, permit } of own) {
    const effect = effectOf(permit, chain);
    if (agreement && permit.contract === address && states.get(permit) === 'mined' && effect) {
      mined.set(effect.position, id);
    }
  }
  const shown = (agreement?.inputs ?? []).map((input, at) => ({
    recordId: record.id,
    ownId: mined.get(at + 1) ?? null,
    status: 'MINED' as const,
    hasError: false,
    name: input.name,
    values: input.values,
    position: at + 1,
    from: input.from,
    to: input.to,
    sequence: input.sequence,
    block: input.block,
    txHash: input.txHash,
  }));
  const waiting = own.flatMap(({ id, permit }) => {
    if ([...mined.values()].includes(id) || permit.event.kind !== 'input') return [];
    // A mined permit had its effect on the record's agreement, or on another one at the signed address.
    const failed = states.get(permit) !== 'open';
    const { name, values } = permit.event.input;
    const nothing = { position: null, from: null, to: null, sequence: null, block: null, txHash: null };
    const status = failed ? ('FAILED' as const) : ('PENDING' as const);
    return [{ recordId: record.id, ownId: id, status, hasError: failed, name, values, ...nothing }];
  });
  return [...shown, ...waiting];
}
