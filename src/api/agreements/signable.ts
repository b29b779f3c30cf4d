import type { Address, TypedDataDefinition } from 'viem';
import { clientOf } from '../../platform/nodes/clients.ts';
import { listActionErrors } from '../../platform/nodes/decodeRevert.ts';
import { type PermitFacts, readPermitFacts } from '../../platform/nodes/readPermitFacts.ts';
import type { Call } from '../../platform/nodes/simulateCall.ts';
import { createPace } from '../../platform/turns/pace.ts';
import { hashPermit } from '../../protocol/hashPermit.ts';
import type { Services } from '../../records/agreements/services.ts';
import { comesAfter } from '../admission/comesAfter.ts';
import type { LocalFacts } from '../admission/createAdmission.ts';
import { findFreeNonce } from '../admission/findFreeNonce.ts';
import { type FundedWallet, findWallet } from './findWallet.ts';
import { listOwnPermits, type OwnPermit } from './ownPermits.ts';
import { currentSecond, requireTime } from './permitTime.ts';
import { refuseNonceInFlight } from './refuseHeldNonce.ts';
import { describeRefusal, judge, type Verdict } from './verdict.ts';

/** The typed data to sign, and data about the permit. */
export type Signable = {
  readonly typedData: TypedDataDefinition;
  readonly nonce: bigint;
  /** The signer's mined nonce; `nonce` is higher if permits are under way. */
  readonly minedNonce: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
  readonly verdict: Verdict;
};

/** A permit before its signature. */
export type Preparation = {
  readonly principalId: string;
  readonly chainId: number;
  readonly contract: Address;
  readonly isAgreement: boolean;
  readonly agreement: unknown;
  readonly signer: Address;
  /** Unix seconds; an hour ahead by default. */
  readonly deadline: bigint | undefined;
  /** The same action as a direct call by the signer, without a permit; none if it has no encoding. */
  readonly directCall: Omit<Call, 'from'> | undefined;
  /**
   * Which nonce to sign. `free`: the next one that no lasting permit of the principal holds. `mined`: the mined one. `turn`:
   * the mined one, refused if a permit of the principal holds it.
   */
  readonly nonces: 'free' | 'mined' | 'turn';
  /** The view from index and outbox; undefined if a node must decide. */
  look?(): Promise<LocalFacts | undefined>;
  /** Checks the chain's data before the permit's own terms, and builds its typed data. */
  build(facts: PermitFacts): (nonce: bigint, deadline: bigint) => TypedDataDefinition;
};

const hour = 3_600n;

type SigningFacts = PermitFacts & { readonly minedNonce: bigint };
type Drawn = { typedData: TypedDataDefinition; nonce: bigint; deadline: bigint };

/**
 * The typed data of a permit from current data, after all checks that come before the signature check.
 *
 * @throws RefusedError if a submission would be refused with any signature, with its first reason, or if the chain is not followed.
 * @throws ChainUnavailableError if a node has to be asked and none answers.
 */
export async function prepareSignable(preparation: Preparation, services: Services): Promise<Signable> {
  const { principalId, chainId, contract, agreement, signer, nonces } = preparation;
  const { database } = services;
  const begin = async (facts: PermitFacts) => {
    const buildTypedData = preparation.build(facts);
    const deadline = preparation.deadline ?? chooseDeadline(facts);
    await requireTime(deadline, { facts, database, lifetimeSeconds: services.limits.permitLifetimeSeconds });
    return (nonce: bigint): Drawn => ({ typedData: buildTypedData(nonce, deadline), nonce, deadline });
  };
  const readFacts = () => readSigningFacts(preparation, services);
  const judgeFacts = ({ simulation }: PermitFacts, wallet: FundedWallet | undefined) =>
    judge({ simulation, wallet, chainId, actionErrors: listActionErrors(agreement) });
  const listHeld = (mined: bigint) =>
    listOwnPermits(database, { principalId, chainId, contract, signer, minedNonce: mined });
  const isHeld = async ({ nonce, typedData }: Drawn) =>
    (await listHeld(nonce)).some((own) => own.nonce === nonce && own.digest !== hashPermit(typedData));

  const [first, wallet] = await Promise.all([readFacts(), findWallet(database, chainId)]);
  let facts = first;
  const { minedNonce } = facts;
  if (nonces === 'free') {
    const held = await listHeld(minedNonce);
    const draw = await begin(facts);
    const again = await findSame(held, (nonce) => draw(nonce).typedData);
    const lasting = held.filter(({ isExpired }) => !isExpired);
    const drawn = draw(again ?? findFreeNonce(lasting, minedNonce));
    return { ...drawn, minedNonce, verdict: judgeFacts(facts, wallet) };
  }
  let drawn = (await begin(facts))(minedNonce);
  if (!(await isHeld(drawn))) return { ...drawn, minedNonce, verdict: judgeFacts(facts, wallet) };
  // The chain may have mined the permit that held the nonce since that was read: then it is the next nonce's
  // turn.
  facts = await readFacts();
  drawn = (await begin(facts))(facts.minedNonce);
  const refusal =
    facts.minedNonce === minedNonce || (await isHeld(drawn)) ? refuseNonceInFlight(drawn.nonce) : undefined;
  if (refusal && nonces === 'turn') throw refusal;
  const verdict = refusal ? describeRefusal(refusal) : judgeFacts(facts, wallet);
  return { ...drawn, minedNonce: facts.minedNonce, verdict };
}

/** The nonce of an open permit with equal terms; a repeat returns that permit. */
async function findSame(
  held: readonly OwnPermit[],
  build: (nonce: bigint) => TypedDataDefinition,
): Promise<bigint | undefined> {
  const pace = createPace();
  for (const { nonce, digest } of held) {
    if (hashPermit(build(nonce)) === digest) return nonce;
    await pace.breathe();
  }
  return undefined;
}

async function readSigningFacts(preparation: Preparation, services: Services): Promise<SigningFacts> {
  const { chainId, contract, signer, isAgreement, directCall } = preparation;
  const client = clientOf(chainId, services);
  const local = await preparation.look?.();
  if (local && !local.isExternal) return local;
  const call = directCall && { ...directCall, from: signer };
  const query = { contract, signer, isAgreement, call };
  const facts = await readPermitFacts(client, query);
  return comesAfter(local, facts) ? local : { ...facts, minedNonce: facts.nonce };
}

/** An hour ahead of both the chain's clock and the wall clock. */
function chooseDeadline({ blockTimestamp }: PermitFacts): bigint {
  const now = currentSecond();
  return (blockTimestamp > now ? blockTimestamp : now) + hour;
}
