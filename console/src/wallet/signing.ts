import { getAddress, hashTypedData } from 'viem';
import type { SignableTypedData, Signature } from '../../../client/src/types.ts';
import {
  type ComputedTypedData,
  checkTypedData,
  TypedDataMismatchError,
} from '../../../client/src/viem/checkTypedData.ts';
import { isTooFar } from '../../../client/src/viem/chooseDeadline.ts';
import { openWallet } from '../../../client/src/viem/openWallet.ts';
import { compileAgreement } from '../../../src/protocol/compileAgreement.ts';
import { encodeInputPayload } from '../../../src/protocol/encodePayload.ts';
import { nameHash } from '../../../src/protocol/names.ts';
import { deployTypedData, inputTypedData } from '../../../src/protocol/typedData.ts';
import type { Provider } from './guardedProvider.ts';

/** This part loads viem: pages load it when somebody is about to sign. */

export type Checked = {
  readonly typedData: ComputedTypedData;
  /** The locally computed digest, and the service's. */
  readonly digest: string;
  readonly offeredDigest: string;
  /** The differing part; then nothing is signed. */
  readonly differences: readonly string[];
};

type InputFacts = {
  readonly chainId: number;
  readonly agreementAddress: string;
  readonly json: unknown;
  readonly inputId: string;
  readonly values: Readonly<Record<string, unknown>>;
};

/** Computes an input's permit from the shown data, and compares it with the service's. */
export function checkInput(facts: InputFacts, offered: SignableTypedData): Checked {
  const typedData = inputTypedData({
    chainId: facts.chainId,
    agreementAddress: getAddress(facts.agreementAddress),
    inputId: nameHash(facts.inputId),
    payload: encodeInputPayload(facts.json, facts.inputId, facts.values),
    nonce: BigInt(offered.nonce),
    deadline: BigInt(offered.deadline),
  });
  return compare(typedData, offered);
}

type DeploymentFacts = {
  readonly chainId: number;
  readonly factory: string;
  readonly json: unknown;
  readonly docUri: string;
  readonly values: Readonly<Record<string, unknown>>;
};

/** `checkInput` for a deployment. */
export function checkDeployment(facts: DeploymentFacts, offered: SignableTypedData): Checked {
  const typedData = deployTypedData({
    chainId: facts.chainId,
    factory: getAddress(facts.factory),
    parameters: compileAgreement(facts.json, { docUri: facts.docUri, values: facts.values }),
    nonce: BigInt(offered.nonce),
    deadline: BigInt(offered.deadline),
  });
  return compare(typedData, offered);
}

/** A deadline of the service more than a day ahead counts as different, because the user did not choose it. */
function compare(typedData: ComputedTypedData, offered: SignableTypedData): Checked {
  const facts = { typedData, digest: hashTypedData(typedData), offeredDigest: offered.digest };
  try {
    checkTypedData(typedData, offered);
    return { ...facts, differences: isTooFar(offered.deadline) ? ['message.deadline'] : [] };
  } catch (error) {
    if (error instanceof TypedDataMismatchError) return { ...facts, differences: error.differences };
    throw error;
  }
}

type Signing = { readonly provider: Provider; readonly account: string; readonly chainId: number };

/**
 * Has the wallet sign the checked data.
 *
 * @throws Error like the wallet; WalletFaultError if it stays on another chain, or signs other data or with another account.
 */
export async function signChecked(
  checked: Checked,
  { provider, account, chainId }: Signing,
): Promise<Signature> {
  if (checked.differences.length > 0) throw new Error('What differs is not signed.');
  const wallet = await openWallet({ provider, account: getAddress(account) });
  return wallet.sign(checked.typedData, chainId);
}
