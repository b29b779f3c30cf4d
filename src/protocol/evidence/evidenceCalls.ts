import { decodeFunctionData, type Hex, toFunctionSelector } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { decodeFactoryCall } from '../decodeFactoryCall.ts';
import { hashParameters, type SignedParameters } from '../typedData.ts';
import { lowerHex } from './evidenceFile.ts';

/** The signature in a call. */
export type CalledPermit = {
  readonly signer: Hex;
  readonly deadline: bigint;
  readonly v: number;
  readonly r: Hex;
  readonly s: Hex;
};

export type CreateCall = {
  /** The hashes of everything that the call creates, as in a permit. */
  readonly content: ReturnType<typeof hashParameters>;
  readonly permit: CalledPermit | undefined;
};

/** Whether these are call data of one of the factory's four create functions, readable or not. */
export function isCreateCall(data: Hex): boolean {
  return creates.has(data.slice(0, 10));
}

const creates: ReadonlySet<string> = new Set(
  agreementFactoryAbi.flatMap((entry) =>
    entry.type === 'function' && entry.name.startsWith('createAgreement') ? [toFunctionSelector(entry)] : [],
  ),
);

/** Reads the call data of one of the factory's four create functions; undefined for anything else. */
export function readCreateCall(data: Hex): CreateCall | undefined {
  const call = decodeFactoryCall(data);
  switch (call?.functionName) {
    case 'createAgreement':
      return { content: hashCreate(call.args), permit: undefined };
    case 'createAgreementDeterministic': {
      const [, ...content] = call.args;
      return { content: hashCreate(content), permit: undefined };
    }
    case 'createAgreementWithPermit': {
      const [signer, ...rest] = call.args;
      return readPermitted(signer, rest);
    }
    case 'createAgreementDeterministicWithPermit': {
      const [signer, , ...rest] = call.args;
      return readPermitted(signer, rest);
    }
    default:
      return undefined;
  }
}

type Content = readonly [
  SignedParameters['docUri'],
  SignedParameters['docHash'],
  SignedParameters['initialState'],
  SignedParameters['inputDefs'],
  SignedParameters['transitions'],
  SignedParameters['initVars'],
  SignedParameters['verifiers'],
  SignedParameters['actions'],
];

function readPermitted(
  signer: Hex,
  [...all]: readonly [...Content, deadline: bigint, v: number, r: Hex, s: Hex],
): CreateCall {
  const [docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions] = all;
  const [, , , , , , , , deadline, v, r, s] = all;
  const content = hashCreate([
    docUri,
    docHash,
    initialState,
    inputDefs,
    transitions,
    initVars,
    verifiers,
    actions,
  ]);
  return { content, permit: { signer: lowerHex(signer), deadline, v, r: lowerHex(r), s: lowerHex(s) } };
}

function hashCreate([...all]: Content): ReturnType<typeof hashParameters> {
  const [docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions] = all;
  return hashParameters({
    ...{ docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions },
  });
}

export type InputCallData = {
  readonly inputId: Hex;
  readonly payload: Hex;
  readonly permit: CalledPermit | undefined;
};

/** Data of other functions are not decoded: a few kilobytes of an initialisation could decode to gigabytes. */
const submissions: ReadonlySet<string> = new Set(
  agreementEngineAbi.flatMap((entry) =>
    entry.type === 'function' && entry.name.startsWith('submitInput') ? [toFunctionSelector(entry)] : [],
  ),
);

/** Reads the call data of an input; undefined for anything else. */
export function readInputCall(data: Hex): InputCallData | undefined {
  if (!submissions.has(data.slice(0, 10))) return undefined;
  const call = decode(() => decodeFunctionData({ abi: agreementEngineAbi, data }));
  if (call?.functionName === 'submitInput') {
    const [inputId, payload] = call.args;
    return { inputId: lowerHex(inputId), payload: lowerHex(payload), permit: undefined };
  }
  if (call?.functionName !== 'submitInputWithPermit') return undefined;
  const [signer, inputId, payload, deadline, v, r, s] = call.args;
  const permit = { signer: lowerHex(signer), deadline, v, r: lowerHex(r), s: lowerHex(s) };
  return { inputId: lowerHex(inputId), payload: lowerHex(payload), permit };
}

function decode<Call>(run: () => Call): Call | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
