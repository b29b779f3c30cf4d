import {
  type Address,
  concatHex,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseEventLogs,
  size,
  slice,
} from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { testTokenAbi } from '../../../contracts-test/abis/TestToken.ts';
import { awaitReceipt } from '../../../contracts-test/awaitReceipt.ts';
import {
  compileAgreement,
  type DataField,
  encodeInputPayload,
  nameHash,
  type WireValues,
} from '../../../src/protocol/index.ts';
import type { TestChain } from './testChain.ts';

/** What a deployment without the service needs of a chain. */
export type DeployingChain = Pick<TestChain, 'client' | 'factory' | 'token' | 'send'>;

export type DirectDeployment = {
  agreement: unknown;
  values: WireValues;
  docUri?: string;
  /**
   * Whether to call the factory through another contract, so that the transaction does not show the creation.
   */
  isIndirect?: boolean;
  /** Whether equal values stand in the call once. */
  isShared?: boolean;
  /** A document whose definitions are deployed with the hash of `agreement`, as by a library that reads it so. */
  readAs?: unknown;
};

/** Deploys an agreement without the service and without a permit. */
export async function deployDirectly(chain: DeployingChain, deployment: DirectDeployment): Promise<Address> {
  const { agreement, values, docUri, isIndirect, readAs = agreement } = deployment;
  const { docHash } = compileAgreement(agreement, { docUri, values });
  const p = { ...compileAgreement(readAs, { docUri, values }), docHash };
  const data = encodeFunctionData({
    abi: agreementFactoryAbi,
    functionName: 'createAgreement',
    args: [
      p.docUri,
      p.docHash,
      p.initialState,
      p.inputDefs,
      p.transitions,
      p.initVars,
      p.verifiers,
      p.actions,
    ],
  });
  return callFactory(chain, { data, isIndirect });
}

/** Sends a signer's permit for a deployment without the service. */
export async function deployByPermit(
  chain: DeployingChain,
  deployment: DirectDeployment & {
    permit: { signer: Address; deadline: number; signature: { v: number; r: Hex; s: Hex } };
  },
): Promise<Address> {
  const { agreement, values, docUri, isIndirect, isShared, permit } = deployment;
  const p = compileAgreement(agreement, { docUri, values });
  const { v, r, s } = permit.signature;
  const data = encodeFunctionData({
    abi: agreementFactoryAbi,
    functionName: 'createAgreementWithPermit',
    args: [
      permit.signer,
      p.docUri,
      p.docHash,
      p.initialState,
      p.inputDefs,
      p.transitions,
      isShared ? [] : p.initVars,
      p.verifiers,
      p.actions,
      BigInt(permit.deadline),
      v,
      r,
      s,
    ],
  });
  return callFactory(chain, { data: isShared ? appendShared(data, 6, p.initVars) : data, isIndirect });
}

/** A call with these values for its empty list, the parameter of that number. What is equal stands there once. */
export function appendShared(call: Hex, parameter: number, values: readonly DataField[]): Hex {
  const word = (value: number) => numberToHex(value, { size: 32 });
  const at = 4 + 32 * parameter;
  const itemSize = 3 * 32;
  const places = new Map<Hex, number>();
  let end = values.length * itemSize;
  for (const { data } of values) {
    if (places.has(data)) continue;
    places.set(data, end);
    end += 32 + 32 * Math.ceil(size(data) / 32);
  }
  return concatHex([
    ...[slice(call, 0, at), word(size(call) - 4), slice(call, at + 32)],
    word(values.length),
    ...values.map((_, index) => word(32 * values.length + index * itemSize)),
    ...values.flatMap(({ id, fType, data }, index) => [
      ...[id, word(fType), word((places.get(data) ?? 0) - index * itemSize)],
    ]),
    ...[...places.keys()].flatMap((data) => [
      ...[word(size(data)), data, `0x${'00'.repeat(-size(data) & 31)}` as const],
    ]),
  ]);
}

async function callFactory(
  chain: DeployingChain,
  { data, isIndirect }: { data: Hex; isIndirect: boolean | undefined },
): Promise<Address> {
  const { factory, token } = chain;
  const hash = isIndirect
    ? await chain.send(
        token,
        encodeFunctionData({ abi: testTokenAbi, functionName: 'forward', args: [factory, data] }),
      )
    : await chain.send(factory, data);
  return readDeployed(chain, hash);
}

async function readDeployed({ client }: DeployingChain, hash: Hex): Promise<Address> {
  const { logs } = await client.getTransactionReceipt({ hash });
  const [deployed] = parseEventLogs({ abi: agreementFactoryAbi, logs, eventName: 'AgreementDeployed' });
  if (!deployed) throw new Error('nothing was deployed');
  return deployed.args.agreement;
}

/** Submits an input without the service and without a permit, from one of the chain's unlocked accounts. */
export async function submitDirectly(
  chain: TestChain,
  input: {
    from: Address;
    to: Address;
    agreement: unknown;
    inputId: string;
    values: Record<string, unknown>;
  },
): Promise<void> {
  const { from, to, agreement, inputId, values } = input;
  const data = encodeFunctionData({
    abi: agreementEngineAbi,
    functionName: 'submitInput',
    args: [nameHash(inputId), encodeInputPayload(agreement, inputId, values)],
  });
  const hash = await chain.client.sendTransaction({ account: from, chain: null, to, data });
  const { status } = await awaitReceipt(chain.client, hash);
  if (status !== 'success') throw new Error(`the input ${inputId} reverted`);
}
