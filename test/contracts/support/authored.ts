import { type Address, encodeFunctionData, parseSignature } from 'viem';
import type { HDAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import {
  compileAgreement,
  deployTypedData,
  encodeInputPayload,
  inputTypedData,
  nameHash,
} from '../../../src/protocol/index.ts';
import { accounts, chainId, factory, type TestChain } from './chain.ts';
import { readDeployment } from './events.ts';

export type Authored = { chain: TestChain; document: unknown };

/**
 * Creates the agreement with a permit of `accounts.signer`, submitted by another account, and returns the
 * event.
 */
export async function createFromDocument({
  chain,
  document,
  values,
}: Authored & { values: { [name: string]: unknown } }) {
  const signer = accounts.signer;
  const parameters = compileAgreement(document, { values });
  const deadline = (await chain.now()) + 3_600n;
  const nonce = await chain.client.readContract({
    address: factory,
    abi: agreementFactoryAbi,
    functionName: 'nonces',
    args: [signer.address],
  });
  const typedData = deployTypedData({ chainId, factory, parameters, nonce, deadline });
  const { r, s, yParity } = parseSignature(await signer.signTypedData(typedData));
  const { docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions } = parameters;
  const content = [
    docUri,
    docHash,
    initialState,
    inputDefs,
    transitions,
    initVars,
    verifiers,
    actions,
  ] as const;
  const args = [signer.address, ...content, deadline, 27 + yParity, r, s] as const;
  const data = encodeFunctionData({
    abi: agreementFactoryAbi,
    functionName: 'createAgreementWithPermit',
    args,
  });
  const { logs } = await chain.send({ from: accounts.submitter.address, to: factory, data });
  return readDeployment(logs);
}

export type AuthoredInput = Authored & {
  agreement: Address;
  inputId: string;
  values: object;
  signer: HDAccount;
};

/** The call by which another account submits the signer's permit for these values. */
export async function submitFromDocument({
  chain,
  document,
  agreement,
  inputId,
  values,
  signer,
}: AuthoredInput) {
  const payload = encodeInputPayload(document, inputId, values);
  const deadline = (await chain.now()) + 3_600n;
  const nonce = await chain.client.readContract({
    address: agreement,
    abi: agreementEngineAbi,
    functionName: 'nonces',
    args: [signer.address],
  });
  const typedData = inputTypedData({
    chainId,
    agreementAddress: agreement,
    inputId,
    payload,
    nonce,
    deadline,
  });
  const { r, s, yParity } = parseSignature(await signer.signTypedData(typedData));
  const args = [signer.address, nameHash(inputId), payload, deadline, 27 + yParity, r, s] as const;
  const data = encodeFunctionData({ abi: agreementEngineAbi, functionName: 'submitInputWithPermit', args });
  return { from: accounts.submitter.address, to: agreement, data };
}
