import type { Hex } from 'viem';
import { encodeInputPayload } from '../../../src/protocol/encodePayload.ts';
import { nameHash } from '../../../src/protocol/names.ts';
import { inputTypedData } from '../../../src/protocol/typedData.ts';
import { parseAddress } from '../../../src/protocol/values.ts';
import type { AgreementsClient } from '../agreementsClient.ts';
import type { BodyOf, InputRecord } from '../types.ts';
import { type WaitOptions, waitForInput } from '../waiting.ts';
import { PermitRefusedError } from './checkTypedData.ts';
import { chooseDeadline } from './chooseDeadline.ts';
import { openWallet, type WalletOptions } from './openWallet.ts';
import { signOffered } from './signOffered.ts';

export type InputToSign = WalletOptions & {
  readonly client: AgreementsClient;
  /** The record's id, or the address of its contract. */
  readonly agreementId: string;
  readonly inputId: string;
  /** Values by field, in the signed order. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** The document, if you have your own copy. Default: the record's. */
  readonly agreement?: object | undefined;
  /** Whether to sign although the contract has other rules than its document. */
  readonly despiteDifferences?: boolean | undefined;
  /** Unix seconds; the permit is valid until then. Default: the service's choice, usually an hour from now. */
  readonly deadline?: number | undefined;
  /** The chain, if the address exists on several. */
  readonly chainId?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type SignedInput = {
  readonly agreementId: string;
  readonly body: BodyOf<'submitInput'>;
  readonly digest: Hex;
};

/**
 * Asks the service for an input's typed data, computes the same from the document and the values, and signs
 * them.
 *
 * @returns the record's id and the body for `client.agreements.submitInput`.
 * @throws TypedDataMismatchError if the service asks to sign something else, or for another contract or chain than the
 * given ones; then nothing is signed.
 * @throws PermitRefusedError if the service would refuse it now, if the contract has other rules than its document
 * (`rules_differ`), or if the service chooses a deadline more than a day ahead; ApiError where the input is not valid.
 * @throws ValuesError if the values do not fit the document.
 */
export async function signInput(input: InputToSign): Promise<SignedInput> {
  const { client, agreementId: named, inputId, values = {}, deadline, signal } = input;
  const wallet = await openWallet(input);
  const record = await client.agreements.get(named, { chainId: input.chainId, signal });
  const { id: agreementId } = record;
  const parts = record.onChain.differsFromDocument?.join();
  if (parts && !input.despiteDifferences)
    throw new PermitRefusedError({ reason: 'rules_differ', message: `The contract differs: ${parts}.` });
  const signer = wallet.address;
  const request = { inputId, values: { ...values }, signer };
  const signable = await client.agreements.makeInputTypedData(
    agreementId,
    { ...request, ...(deadline !== undefined && { deadline }) },
    { signal },
  );
  // No record replaces what the caller named. The service accepts addresses in any letter case.
  const agreementAddress = parseAddress(named.startsWith('agr_') ? record.address : named.toLowerCase());
  const chainId = input.chainId ?? record.chainId;
  if (!agreementAddress) throw new TypeError('The agreement is not deployed yet.');
  const typedData = inputTypedData({
    chainId,
    agreementAddress,
    inputId: nameHash(inputId),
    payload: encodeInputPayload(input.agreement ?? record.json, inputId, values),
    nonce: BigInt(signable.nonce),
    deadline: chooseDeadline(deadline, signable.deadline),
  });
  const { digest, signature } = await signOffered(typedData, signable, { wallet, chainId });
  return { agreementId, body: { ...request, deadline: signable.deadline, signature }, digest };
}

/**
 * Advances an agreement: requests, checks and signs the typed data, submits the input, and waits until it is
 * mined.
 *
 * @throws what `signInput` and `waitForInput` throw: InputFailedError where the input fails on its way.
 *
 * @example
 * const { toState } = await submitInput({
 *   client,
 *   walletClient: artistWallet,
 *   agreementId: record.id,
 *   inputId: 'acceptCommission',
 *   values: { artistSignature: 'M. Tamm' },
 * });
 */
export async function submitInput(input: InputToSign & WaitOptions): Promise<InputRecord> {
  const { client, signal } = input;
  const { agreementId, body } = await signInput(input);
  const sent = await client.agreements.submitInput(agreementId, body, { signal });
  return waitForInput(client, sent, input);
}
