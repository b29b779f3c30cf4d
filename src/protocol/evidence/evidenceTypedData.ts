import type { Hex } from 'viem';
import { hashPermit } from '../hashPermit.ts';
import type { AgreementParameters } from '../onChain.ts';
import { deployTypedData, inputTypedData } from '../typedData.ts';
import { type EvidencePermit, type EvidenceTypedData, lowerHex } from './evidenceFile.ts';
import { recoverSigner } from './recoverSigner.ts';
import { refuse } from './refusal.ts';

type PermitCore = Omit<EvidencePermit, 'typedData'>;

/** The message of a deployment's permit, in the files' form, and its digest. */
export function buildDeployMessage(
  permit: PermitCore,
  place: { readonly chainId: number; readonly factory: Hex; readonly parameters: AgreementParameters },
): SignedMessage {
  const typed = deployTypedData({ ...place, nonce: BigInt(permit.nonce), deadline: BigInt(permit.deadline) });
  return { typedData: writeTypedData(typed), digest: hashPermit(typed) };
}

/** The message of an input's permit, in the files' form, and its digest. */
export function buildInputMessage(
  permit: PermitCore,
  input: { readonly chainId: number; readonly agreement: Hex; readonly inputId: Hex; readonly payload: Hex },
): SignedMessage {
  const { chainId, agreement: agreementAddress, inputId, payload } = input;
  const numbers = { nonce: BigInt(permit.nonce), deadline: BigInt(permit.deadline) };
  const typed = inputTypedData({ chainId, agreementAddress, inputId, payload, ...numbers });
  return { typedData: writeTypedData(typed), digest: hashPermit(typed) };
}

export type SignedMessage = { readonly typedData: EvidenceTypedData; readonly digest: Hex };

/** @throws EvidenceRefusal if the file has another message, or another account signed it. */
export async function requirePermit(
  permit: EvidencePermit,
  message: SignedMessage,
  path: string,
): Promise<void> {
  if (JSON.stringify(permit.typedData) !== JSON.stringify(message.typedData))
    refuse(
      'signature_invalid',
      `${path}.typedData`,
      'The message in the file is not the one that had to be signed.',
    );
  const { r, s, v, signer } = permit;
  const found = await recoverSigner(message.digest, { r, s, yParity: v - 27 });
  if (found === signer) return;
  const fault = found === undefined ? 'is not valid' : `is by ${found}, not by ${signer}`;
  refuse('signature_invalid', path, `The signature ${fault}.`);
}

type TypedData = ReturnType<typeof deployTypedData> | ReturnType<typeof inputTypedData>;

function writeTypedData({ domain, primaryType, types, message }: TypedData): EvidenceTypedData {
  const { name, version, chainId, verifyingContract } = domain;
  return {
    domain: { name, version, chainId, verifyingContract: lowerHex(verifyingContract) },
    primaryType,
    types: { EIP712Domain: domainFields, ...types },
    message: Object.fromEntries(Object.entries(message).map(([key, value]) => [key, String(value)])),
  };
}

const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const;
