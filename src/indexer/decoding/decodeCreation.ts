import { type Address, type DecodeFunctionDataReturnType, decodeFunctionData, type Hex } from 'viem';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { hashDeploymentContent } from '../../protocol/deploymentContent.ts';
import { isNoLargerThan } from './isNoLargerThan.ts';

type Call = DecodeFunctionDataReturnType<typeof agreementFactoryAbi>;
type CreateArguments = Extract<Call, { functionName: 'createAgreement' }>['args'];

/** Data that only the creating call has; there is no getter and no event for it. */
export type Creation = {
  functionName: string;
  salt: Hex | null;
  docUri: string;
  docHash: Hex;
  inputDefs: CreateArguments[3];
  transitions: CreateArguments[4];
  initVars: CreateArguments[5];
  /** One hash over everything signed; null without a permit, and if the content is larger than the call. */
  signedHash: Hex | null;
};

/** The creating call of a deployed agreement. Null if it cannot be read, or creates another agreement. */
export function findCreation({
  args,
  log,
  transaction,
}: {
  args: Pick<Creation, 'docHash' | 'docUri'>;
  log: { address: Address };
  transaction: { to: Address | null; input: Hex };
}): Creation | null {
  const call = decodeCreation(transaction, log.address);
  return call?.docHash === args.docHash && call.docUri === args.docUri ? call : null;
}

/**
 * Reads the call of one of the factory's four create functions. Null for any other call, and for call data
 * that do not decode: a call through another contract, or with raw bytes, cannot be read.
 */
export function decodeCreation(call: { to: Address | null; input: Hex }, factory: Address): Creation | null {
  if (call.to?.toLowerCase() !== factory.toLowerCase()) return null;
  let decoded: Call;
  try {
    decoded = decodeFunctionData({ abi: agreementFactoryAbi, data: call.input });
  } catch {
    return null;
  }
  const { functionName, args } = decoded;
  switch (functionName) {
    case 'createAgreement':
      return readContent(functionName, { content: args, salt: null, signedDigits: null });
    case 'createAgreementDeterministic': {
      const [salt, ...content] = args;
      return readContent(functionName, { content, salt, signedDigits: null });
    }
    case 'createAgreementWithPermit': {
      const [, ...content] = args;
      return readContent(functionName, {
        content: firstEight(content),
        salt: null,
        signedDigits: call.input.length,
      });
    }
    case 'createAgreementDeterministicWithPermit': {
      const [, salt, ...content] = args;
      return readContent(functionName, {
        content: firstEight(content),
        salt,
        signedDigits: call.input.length,
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
  {
    content,
    salt,
    signedDigits,
  }: { content: CreateArguments; salt: Hex | null; signedDigits: number | null },
): Creation {
  const [docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions] = content;
  const parameters = { docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions };
  // A call whose parts share bytes could decode to megabytes, which nobody has signed here.
  const arrays = [inputDefs, transitions, initVars, verifiers, actions];
  const isReadable = signedDigits !== null && isNoLargerThan(arrays, signedDigits);
  const signedHash = isReadable ? hashDeploymentContent(parameters) : null;
  return { functionName, salt, docUri, docHash, inputDefs, transitions, initVars, signedHash };
}
