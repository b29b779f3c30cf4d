import { type Address, encodeFunctionData, type Hex, zeroHash } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { accounts, factory, type TestChain } from './chain.ts';
import { readDeployment } from './events.ts';
import { type DataField, encodePayload, id } from './language.ts';

interface InputField {
  fieldId: Hex;
  fType: number;
  required: boolean;
  persist: boolean;
}
export interface Condition {
  op: number;
  fieldId: Hex;
  bytesArg: Hex;
}
export interface InputDef {
  id: Hex;
  fields: InputField[];
  conditions: Condition[];
  verifierKeys: Hex[];
}

/** Everything that a creation needs and that its permit covers. */
export interface Content {
  docUri: string;
  docHash: Hex;
  initialState: Hex;
  inputDefs: InputDef[];
  transitions: { fromState: Hex; toState: Hex; inputId: Hex }[];
  initVars: DataField[];
  verifiers: { key: Hex; verifier: Address }[];
  actions: { fromState: Hex; inputId: Hex; target: Address; value: bigint; data: Hex }[];
}

/** An input `name` that has only the given fields, conditions and verifiers. */
export function inputDef(name: string, parts: Partial<Omit<InputDef, 'id'>> = {}): InputDef {
  return { id: id(name), fields: [], conditions: [], verifierKeys: [], ...parts };
}

export function transition(from: string, input: string, to: string) {
  return { fromState: id(from), toState: id(to), inputId: id(input) };
}

/**
 * The content of an agreement in the state `open` that accepts `act` there without conditions, and stays in
 * that state.
 */
export function buildContent(parts: Partial<Content> = {}): Content {
  return {
    docUri: 'https://agreements.example/documents/1',
    docHash: id('document'),
    initialState: id('open'),
    inputDefs: [inputDef('act')],
    transitions: [transition('open', 'act', 'open')],
    initVars: [],
    verifiers: [],
    actions: [],
    ...parts,
  };
}

/** The arguments in the order of `createAgreement`. */
export function contentArguments(content: Content) {
  const { docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions } = content;
  return [docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions] as const;
}

/** The call that creates an agreement at the address of `salt`. */
export function creationCall(
  parts: Partial<Content>,
  salt: Hex = zeroHash,
  from: Address = accounts.owner.address,
) {
  const args = [salt, ...contentArguments(buildContent(parts))] as const;
  const data = encodeFunctionData({
    abi: agreementFactoryAbi,
    functionName: 'createAgreementDeterministic',
    args,
  });
  return { from, to: factory, data };
}

/** Creates an agreement owned by `accounts.owner` and returns its address. */
export async function createAgreement(chain: TestChain, parts: Partial<Content> = {}): Promise<Address> {
  const args = contentArguments(buildContent(parts));
  const data = encodeFunctionData({ abi: agreementFactoryAbi, functionName: 'createAgreement', args });
  const { logs } = await chain.send({ from: accounts.owner.address, to: factory, data });
  return readDeployment(logs).agreement;
}

/** Creates an agreement whose only input, `act`, has these parts. */
export function createWithInput(
  chain: TestChain,
  parts: Partial<Omit<InputDef, 'id'>>,
  initVars: DataField[] = [],
): Promise<Address> {
  return createAgreement(chain, { inputDefs: [inputDef('act', parts)], initVars });
}

/** The call by which `from` submits `input` with these values. */
export function submission(
  agreement: Address,
  input: string,
  values: DataField[] = [],
  from: Address = accounts.submitter.address,
) {
  return rawSubmission(agreement, input, encodePayload(...values), from);
}

/** Like `submission`, but with a given payload. */
export function rawSubmission(
  agreement: Address,
  input: string,
  payload: Hex,
  from = accounts.submitter.address,
) {
  const args = [id(input), payload] as const;
  const data = encodeFunctionData({ abi: agreementEngineAbi, functionName: 'submitInput', args });
  return { from, to: agreement, data };
}

export function readState(chain: TestChain, agreement: Address): Promise<Hex> {
  return chain.client.readContract({
    address: agreement,
    abi: agreementEngineAbi,
    functionName: 'currentState',
  });
}
