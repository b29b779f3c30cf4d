import type { Address, TypedDataDefinition } from 'viem';
import { listActionErrors } from '../../platform/nodes/decodeRevert.ts';
import { type PermitFacts, readPermitFacts } from '../../platform/nodes/readPermitFacts.ts';
import type { Call } from '../../platform/nodes/simulateCall.ts';
import type { Services } from '../../records/agreements/services.ts';
import { comesAfter } from '../admission/comesAfter.ts';
import type { LocalFacts } from '../admission/createAdmission.ts';
import { currentSecond, requireTime } from './acceptPermit.ts';
import { type FundedWallet, findWallet } from './findWallet.ts';
import { hashPermit } from './hashPermit.ts';
import { isOwnNonceHeld } from './ownNonce.ts';
import { findFreeNonce, listOwnPermits, type OwnPermit } from './ownPermits.ts';
import { refuseNonceInFlight } from './refuseHeldNonce.ts';
import { clientOf } from './revivePermit.ts';
import { describeRefusal, judge, type Verdict } from './verdict.ts';

/** What a signer is to sign, and what is known of the permit that it will be. */
export type Signable = {
  readonly typedData: TypedDataDefinition;
  readonly nonce: bigint;
  /** The signer's nonce that is mined; `nonce` comes after it where permits are on their way. */
  readonly minedNonce: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
  readonly verdict: Verdict;
};

/** A permit that is still to be signed. */
export type Preparation = {
  readonly principalId: string;
  readonly chainId: number;
  readonly contract: Address;
  readonly isAgreement: boolean;
  readonly agreement: unknown;
  readonly signer: Address;
  /** Unix seconds; an hour ahead where it is absent. */
  readonly deadline: bigint | undefined;
  /** The call of the signer itself that does without a permit what the permit is for; none where it has no encoding. */
  readonly directCall: Omit<Call, 'from'> | undefined;
  /**
   * Which nonce is signed: the next one that no permit of the principal holds, the mined one, or that whose turn it is, which is
   * the mined one unless a permit of the principal holds it: then there is none.
   */
  readonly nonces: 'free' | 'mined' | 'turn';
  /** What index and outbox say; undefined where a node has to. */
  look?(): Promise<LocalFacts | undefined>;
  /** Checks what the chain says before the permit's own terms are looked at, and makes its typed data. */
  build(facts: PermitFacts): (nonce: bigint, deadline: bigint) => TypedDataDefinition;
};

const hour = 3_600n;

type SigningFacts = PermitFacts & { readonly minedNonce: bigint };
type Drawn = { typedData: TypedDataDefinition; nonce: bigint; deadline: bigint };

/**
 * What a permit signs by what is known now, after the checks that it will meet before its signature is looked at.
 *
 * @throws RefusedError for what would be refused whatever the signature, in the order of a submission.
 * @throws ChainUnavailableError where the chain has to be asked and cannot be.
 */
export async function prepareSignable(preparation: Preparation, services: Services): Promise<Signable> {
  const { principalId, chainId, contract, agreement, signer, nonces } = preparation;
  const { database } = services;
  const draw = (facts: PermitFacts, nonce: bigint): Drawn => {
    const buildTypedData = preparation.build(facts);
    const deadline = preparation.deadline ?? chooseDeadline(facts);
    requireTime(deadline, { facts, lifetimeSeconds: services.limits.permitLifetimeSeconds });
    return { typedData: buildTypedData(nonce, deadline), nonce, deadline };
  };
  const readFacts = () => readSigningFacts(preparation, services);
  const judgeFacts = ({ simulation }: PermitFacts, wallet: FundedWallet | undefined) =>
    judge({ simulation, wallet, chainId, actionErrors: listActionErrors(agreement) });
  const isHeld = ({ nonce, typedData }: Drawn) =>
    isOwnNonceHeld(database, { principalId, chainId, contract, signer, nonce, typedData });

  const [first, wallet] = await Promise.all([readFacts(), findWallet(database, chainId)]);
  let facts = first;
  const { minedNonce } = facts;
  if (nonces === 'free') {
    const held = await listOwnPermits(database, { principalId, chainId, contract, signer, minedNonce });
    const free = draw(facts, findFreeNonce(held, minedNonce));
    const again = findSame(held, (nonce) => preparation.build(facts)(nonce, free.deadline));
    const drawn = again === undefined ? free : draw(facts, again);
    return { ...drawn, minedNonce, verdict: judgeFacts(facts, wallet) };
  }
  let drawn = draw(facts, minedNonce);
  if (!(await isHeld(drawn))) return { ...drawn, minedNonce, verdict: judgeFacts(facts, wallet) };
  // The chain may have taken the permit that holds the nonce since that was read: then it is the next one's turn.
  facts = await readFacts();
  drawn = draw(facts, facts.minedNonce);
  const refusal =
    facts.minedNonce === minedNonce || (await isHeld(drawn)) ? refuseNonceInFlight(drawn.nonce) : undefined;
  if (refusal && nonces === 'turn') throw refusal;
  const verdict = refusal ? describeRefusal(refusal) : judgeFacts(facts, wallet);
  return { ...drawn, minedNonce: facts.minedNonce, verdict };
}

/** The nonce of a permit that is on its way and signs the very same: the same terms are the same permit. */
function findSame(
  held: readonly OwnPermit[],
  build: (nonce: bigint) => TypedDataDefinition,
): bigint | undefined {
  return held.find(({ nonce, digest }) => hashPermit(build(nonce)) === digest)?.nonce;
}

async function readSigningFacts(preparation: Preparation, services: Services): Promise<SigningFacts> {
  const { chainId, contract, signer, isAgreement, directCall } = preparation;
  const local = await preparation.look?.();
  if (local && !local.isExternal) return local;
  const call = directCall && { ...directCall, from: signer };
  const query = { contract, signer, isAgreement, call };
  const facts = await readPermitFacts(clientOf(chainId, services), query);
  return comesAfter(local, facts) ? local : { ...facts, minedNonce: facts.nonce };
}

/** An hour ahead of the chain's clock and of the wall's. */
function chooseDeadline({ blockTimestamp }: PermitFacts): bigint {
  const now = currentSecond();
  return (blockTimestamp > now ? blockTimestamp : now) + hour;
}
