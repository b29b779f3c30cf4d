import type { Address, TypedDataDefinition } from 'viem';
import { listActionErrors } from '../chain/decodeRevert.ts';
import { type PermitFacts, readPermitFacts } from '../chain/readPermitFacts.ts';
import type { Call } from '../chain/simulateCall.ts';
import { currentSecond, requireTime } from './acceptPermit.ts';
import { findWallet } from './findWallet.ts';
import { isOwnNonceHeld } from './ownNonce.ts';
import { refuseNonceInFlight } from './refuseHeldNonce.ts';
import { clientOf } from './revivePermit.ts';
import type { Services } from './services.ts';
import { judge, type Verdict } from './verdict.ts';

/** What a signer is to sign, and what is known of the permit that it will be. */
export type Signable = {
  readonly typedData: TypedDataDefinition;
  readonly nonce: bigint;
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
  /** Checks what the chain says before the permit's own terms are looked at, and makes its typed data. */
  build(facts: PermitFacts): (nonce: bigint, deadline: bigint) => TypedDataDefinition;
};

const hour = 3_600n;

/**
 * What a permit signs by what the chain says now, after the checks that it will meet before its signature is looked at.
 *
 * @throws RefusedError for what would be refused whatever the signature, in the order of a submission.
 * @throws ChainUnavailableError where the chain cannot be asked.
 */
export async function prepareSignable(preparation: Preparation, services: Services): Promise<Signable> {
  const { principalId, chainId, contract, isAgreement, agreement, signer, directCall } = preparation;
  const { database } = services;
  const call = directCall && { ...directCall, from: signer };
  const readFacts = () =>
    readPermitFacts(clientOf(chainId, services), { contract, signer, isAgreement, call });
  const draw = (facts: PermitFacts) => {
    const buildTypedData = preparation.build(facts);
    const { nonce, simulation } = facts;
    const deadline = preparation.deadline ?? chooseDeadline(facts);
    requireTime(deadline, facts);
    return { typedData: buildTypedData(nonce, deadline), nonce, deadline, simulation };
  };
  const isHeld = ({ nonce, typedData }: ReturnType<typeof draw>) =>
    isOwnNonceHeld(database, { principalId, chainId, contract, signer, nonce, typedData });

  const [facts, wallet] = await Promise.all([readFacts(), findWallet(database, chainId)]);
  let drawn = draw(facts);
  if (await isHeld(drawn)) {
    // The chain may have taken the permit that holds the nonce since that was read: then it is the next one's turn.
    const { nonce } = drawn;
    drawn = draw(await readFacts());
    if (drawn.nonce === nonce || (await isHeld(drawn))) throw refuseNonceInFlight(drawn.nonce);
  }
  const { typedData, nonce, deadline, simulation } = drawn;
  const actionErrors = listActionErrors(agreement);
  return { typedData, nonce, deadline, verdict: judge({ simulation, wallet, chainId, actionErrors }) };
}

/** An hour ahead of the chain's clock and of the wall's. */
function chooseDeadline({ blockTimestamp }: PermitFacts): bigint {
  const now = currentSecond();
  return (blockTimestamp > now ? blockTimestamp : now) + hour;
}
