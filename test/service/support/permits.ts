import { type Address, type Hex, hashTypedData, parseSignature } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import {
  compileAgreement,
  deployTypedData,
  encodeInputPayload,
  inputTypedData,
  type WireValues,
} from '../../../src/protocol/index.ts';

export type Signature = { v: number; r: Hex; s: Hex };

/** A signature in the three parts that a request has. */
export function splitSignature(signature: Hex): Signature {
  const { r, s, yParity } = parseSignature(signature);
  return { v: 27 + yParity, r, s };
}

/** A new wallet: its nonces are 0 everywhere. */
export function createAccount(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}

export function inAnHour(): number {
  return Math.floor(Date.now() / 1000) + 3_600;
}

export type DeploySigning = {
  account: PrivateKeyAccount;
  agreement: unknown;
  values: WireValues;
  chainId: number;
  factory: Address;
  docUri?: string;
  nonce?: bigint;
  deadline?: number;
};

/** The part of a deployment's body that the signer provides. */
export async function signDeploy(signing: DeploySigning) {
  const { account, agreement, values, chainId, factory, docUri, nonce = 0n, deadline = inAnHour() } = signing;
  const parameters = compileAgreement(agreement, { docUri, values });
  const typedData = deployTypedData({ chainId, factory, parameters, nonce, deadline: BigInt(deadline) });
  return {
    signer: account.address,
    deadline,
    signature: splitSignature(await account.signTypedData(typedData)),
    ...(docUri !== undefined && { docUri }),
  };
}

export type InputSigning = {
  account: PrivateKeyAccount;
  agreement: unknown;
  agreementAddress: Address;
  chainId: number;
  inputId: string;
  values: Record<string, unknown>;
  nonce?: bigint;
  deadline?: number;
  payload?: Hex;
};

/** Signs an input, and returns its request body and its payload. */
export async function signInput(signing: InputSigning) {
  const { account, agreement, agreementAddress, chainId, inputId, values } = signing;
  const { nonce = 0n, deadline = inAnHour() } = signing;
  const payload = signing.payload ?? encodeInputPayload(agreement, inputId, values);
  const permit = { chainId, agreementAddress, inputId, payload, nonce, deadline: BigInt(deadline) };
  const typedData = inputTypedData(permit);
  return {
    body: {
      inputId,
      values,
      signer: account.address,
      deadline,
      signature: splitSignature(await account.signTypedData(typedData)),
    },
    payload,
    digest: hashTypedData(typedData),
  };
}
