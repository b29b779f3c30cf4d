import { type Address, type DecodeFunctionDataReturnType, decodeFunctionData, type Hex } from 'viem';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';

type Call = DecodeFunctionDataReturnType<typeof agreementFactoryAbi>;
type CreateArguments = Extract<Call, { functionName: 'createAgreement' }>['args'];

/** What only the creating call says of an agreement; there is no getter and no event for it. */
export type Creation = {
  functionName: string;
  salt: Hex | null;
  docUri: string;
  docHash: Hex;
  inputDefs: CreateArguments[3];
  transitions: CreateArguments[4];
  initVars: CreateArguments[5];
};

/**
 * Reads the call of one of the factory's four create functions. Null for any other call, and for call data that do not
 * decode: whoever called the factory through another contract, or by its raw bytes, leaves nothing to read.
 */
export function decodeCreation(call: { to: Address | null; input: Hex }, factory: Address): Creation | null {
  if (call.to?.toLowerCase() !== factory.toLowerCase()) return null;
  let decoded: Call;
  try {
    decoded = decodeFunctionData({ abi: agreementFactoryAbi, data: call.input });
  } catch {
    return null;
  }
  const { functionName } = decoded;
  switch (functionName) {
    case 'createAgreement': {
      const [docUri, docHash, , inputDefs, transitions, initVars] = decoded.args;
      return { functionName, salt: null, docUri, docHash, inputDefs, transitions, initVars };
    }
    case 'createAgreementDeterministic': {
      const [salt, docUri, docHash, , inputDefs, transitions, initVars] = decoded.args;
      return { functionName, salt, docUri, docHash, inputDefs, transitions, initVars };
    }
    case 'createAgreementWithPermit': {
      const [, docUri, docHash, , inputDefs, transitions, initVars] = decoded.args;
      return { functionName, salt: null, docUri, docHash, inputDefs, transitions, initVars };
    }
    case 'createAgreementDeterministicWithPermit': {
      const [, salt, docUri, docHash, , inputDefs, transitions, initVars] = decoded.args;
      return { functionName, salt, docUri, docHash, inputDefs, transitions, initVars };
    }
    default:
      return null;
  }
}
