import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseEventLogs,
  parseSignature,
} from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import {
  type AgreementParameters,
  type DataField,
  deployTypedData,
  encodeDataFields,
  FieldType,
  inputTypedData,
  nameHash,
} from '../../../src/protocol/index.ts';
import { accounts, type Call, type TestChain } from './testChain.ts';

export const id = nameHash;
/** Far in every chain's future. */
const deadline = 4_000_000_000n;

/**
 * An agreement that changes between `open` and `active` by `toggle`, and keeps its state on `note`. It has
 * two verifiers, and an action that runs on every `toggle` from `open`. The action is first registered with
 * other data.
 */
export function buildContent(parts: Partial<AgreementParameters> = {}): AgreementParameters {
  const action = { fromState: id('open'), inputId: id('toggle'), target: accounts.other.address, value: 0n };
  return {
    docUri: 'https://agreements.example/documents/1',
    docHash: id('document'),
    initialState: id('open'),
    inputDefs: [
      {
        id: id('toggle'),
        fields: [{ fieldId: id('amount'), fType: FieldType.UINT256, required: false, persist: true }],
        conditions: [
          { op: 8, fieldId: id('amount'), bytesArg: encodeAbiParameters([{ type: 'uint256' }], [100n]) },
        ],
        verifierKeys: [],
      },
      { id: id('note'), fields: [], conditions: [], verifierKeys: [] },
    ],
    transitions: [
      { fromState: id('open'), toState: id('active'), inputId: id('toggle') },
      { fromState: id('active'), toState: id('open'), inputId: id('toggle') },
      { fromState: id('open'), toState: id('open'), inputId: id('note') },
      { fromState: id('active'), toState: id('active'), inputId: id('note') },
    ],
    initVars: [textField('title', 'Grüße')],
    verifiers: [
      { key: id('first'), verifier: accounts.other.address },
      { key: id('second'), verifier: accounts.owner.address },
    ],
    actions: [
      { ...action, value: 5n, data: '0x' },
      { ...action, data: '0x1234' },
    ],
    ...parts,
  };
}

const argumentsOf = (content: AgreementParameters) => {
  const { docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions } = content;
  return [docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions] as const;
};

/** Creates an agreement owned by the sender; at an address of `salt` if there is one. */
export function creation(chain: TestChain, content = buildContent(), salt?: Hex): Call {
  const abi = agreementFactoryAbi;
  const args = argumentsOf(content);
  const data = salt
    ? encodeFunctionData({ abi, functionName: 'createAgreementDeterministic', args: [salt, ...args] })
    : encodeFunctionData({ abi, functionName: 'createAgreement', args });
  return { to: chain.factory, data };
}

/** Creates an agreement of `accounts.signer` with a permit. */
export async function permittedCreation(
  chain: TestChain,
  permit: { nonce: bigint; content?: AgreementParameters; salt?: Hex },
): Promise<Call> {
  const { nonce, content = buildContent(), salt } = permit;
  const { chainId, factory } = chain;
  const typedData = deployTypedData({ chainId, factory, parameters: content, nonce, deadline });
  const signature = split(await accounts.signer.signTypedData(typedData));
  const rest = [...argumentsOf(content), deadline, ...signature] as const;
  const abi = agreementFactoryAbi;
  const { address } = accounts.signer;
  const data = salt
    ? encodeFunctionData({
        abi,
        functionName: 'createAgreementDeterministicWithPermit',
        args: [address, salt, ...rest],
      })
    : encodeFunctionData({ abi, functionName: 'createAgreementWithPermit', args: [address, ...rest] });
  return { to: factory, data };
}

/** Submits an input without a permit. */
export function submission(agreement: Address, name: string, payload: Hex = encodeDataFields([])): Call {
  const args = [id(name), payload] as const;
  return {
    to: agreement,
    data: encodeFunctionData({ abi: agreementEngineAbi, functionName: 'submitInput', args }),
  };
}

/** Submits an input with a permit of `accounts.signer`. */
export async function permittedSubmission(
  chain: TestChain,
  permit: { agreement: Address; name: string; nonce: bigint; payload?: Hex },
): Promise<Call> {
  const { agreement, name, nonce, payload = encodeDataFields([]) } = permit;
  const { chainId } = chain;
  const inputId = id(name);
  const typedData = inputTypedData({
    chainId,
    agreementAddress: agreement,
    inputId,
    payload,
    nonce,
    deadline,
  });
  const signature = split(await accounts.signer.signTypedData(typedData));
  const args = [accounts.signer.address, inputId, payload, deadline, ...signature] as const;
  const data = encodeFunctionData({ abi: agreementEngineAbi, functionName: 'submitInputWithPermit', args });
  return { to: agreement, data };
}

/** The agreements that a transaction deployed, in order. */
export function deployedAgreements(receipt: {
  logs: Parameters<typeof parseEventLogs>[0]['logs'];
}): Address[] {
  return parseEventLogs({ abi: agreementFactoryAbi, eventName: 'AgreementDeployed', logs: receipt.logs }).map(
    ({ args }) => args.agreement,
  );
}

export async function deploy(chain: TestChain, call: Call = creation(chain)): Promise<Address> {
  const [agreement] = deployedAgreements(await chain.send(call));
  if (!agreement) throw new Error('the transaction deployed no agreement');
  return agreement;
}

export function textField(name: string, text: string): DataField {
  return { id: id(name), fType: FieldType.STRING, data: encodeAbiParameters([{ type: 'string' }], [text]) };
}

/** A text field with any bytes, which may be no UTF-8. */
export function rawTextField(name: string, bytes: Hex): DataField {
  return { id: id(name), fType: FieldType.STRING, data: encodeAbiParameters([{ type: 'bytes' }], [bytes]) };
}

export function uintField(name: string, value: bigint): DataField {
  return {
    id: id(name),
    fType: FieldType.UINT256,
    data: encodeAbiParameters([{ type: 'uint256' }], [value]),
  };
}

function split(signature: Hex): readonly [number, Hex, Hex] {
  const { r, s, v } = parseSignature(signature);
  return [Number(v), r, s];
}
