import type { Address, Hex } from 'viem';
import { decodeFactoryCall, type FactoryCall } from '../../protocol/decodeFactoryCall.ts';
import { hashDeploymentContent } from '../../protocol/deploymentContent.ts';
import { hexToBytes } from '../../protocol/hex.ts';
import { keccak256Bytes } from '../../protocol/keccak.ts';
import { readDocUriBytes } from './readDocUri.ts';

type CreateArguments = Extract<FactoryCall, { functionName: 'createAgreement' }>['args'];

/** Data that only the creating call has; there is no getter and no event for it. */
export type Creation = {
  functionName: string;
  salt: Hex | null;
  /** As viem decodes it: without a byte order mark, and with U+FFFD for invalid UTF-8. */
  docUri: string;
  docHash: Hex;
  inputDefs: CreateArguments[3];
  transitions: CreateArguments[4];
  initVars: CreateArguments[5];
  /** One hash over everything signed; null without a permit. */
  signedHash: Hex | null;
};

type Log = { readonly address: Address; readonly data: Hex };

/** The creating call of a deployed agreement. Null if it cannot be read, or creates another agreement. */
export function findCreation({
  args,
  log,
  transaction,
}: {
  args: Pick<Creation, 'docHash' | 'docUri'>;
  log: Log;
  transaction: { to: Address | null; input: Hex };
}): Creation | null {
  const call = decodeCreation(transaction, log);
  return call?.docHash === args.docHash && call.docUri === args.docUri ? call : null;
}

/**
 * Reads the call of one of the factory's four create functions. Null for any other call, and for call data
 * that do not decode: a call through another contract, with raw bytes, or with data that unfold, cannot be read.
 *
 * @param log the factory's event `AgreementDeployed`, which has the bytes of the docUri.
 */
export function decodeCreation(call: { to: Address | null; input: Hex }, log: Log): Creation | null {
  if (call.to?.toLowerCase() !== log.address.toLowerCase()) return null;
  const decoded = decodeFactoryCall(call.input);
  if (!decoded) return null;
  const { functionName, args } = decoded;
  switch (functionName) {
    case 'createAgreement':
      return readContent(functionName, { content: args, salt: null, signed: null });
    case 'createAgreementDeterministic': {
      const [salt, ...content] = args;
      return readContent(functionName, { content, salt, signed: null });
    }
    case 'createAgreementWithPermit': {
      const [, ...content] = args;
      return readContent(functionName, {
        content: firstEight(content),
        salt: null,
        signed: log,
      });
    }
    case 'createAgreementDeterministicWithPermit': {
      const [, salt, ...content] = args;
      return readContent(functionName, {
        content: firstEight(content),
        salt,
        signed: log,
      });
    }
    default:
      return null;
  }
}

/** The content without the permit. */
function firstEight([...content]: readonly [
  ...CreateArguments,
  deadline: bigint,
  v: number,
  r: Hex,
  s: Hex,
]): CreateArguments {
  const [docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions] = content;
  return [docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions];
}

function readContent(
  functionName: string,
  { content, salt, signed }: { content: CreateArguments; salt: Hex | null; signed: Log | null },
): Creation {
  const [docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions] = content;
  const parameters = { docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions };
  const signedHash = signed && hashDeploymentContent(parameters, hashDocUri(signed));
  return { functionName, salt, docUri, docHash, inputDefs, transitions, initVars, signedHash };
}

function hashDocUri(log: Log): Hex {
  return keccak256Bytes(hexToBytes(readDocUriBytes(log)));
}
