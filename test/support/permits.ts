import { type Address, type Hex, type PublicClient, parseSignature } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';
import {
  compileAgreement,
  deployTypedData,
  encodeInputPayload,
  inputTypedData,
} from '../../src/protocol/index.ts';
import type { Signature } from './singleCalls.ts';

const lifetimeSeconds = 3_600;

/** The parts of a request that come with its signature. */
export type SignedPermit = {
  signer: Address;
  deadline: number;
  signature: Signature;
};

/** Signs a deployment with the signer's current nonce at the factory. */
export async function signDeployPermit(options: {
  client: PublicClient;
  chainId: number;
  factory: Address;
  agreement: unknown;
  docUri: string;
  /** The effective values returned by preflight. */
  values: Record<string, string | boolean>;
  account: PrivateKeyAccount;
}): Promise<SignedPermit> {
  const { client, chainId, factory, agreement, docUri, values, account } = options;
  const nonce = await client.readContract({
    address: factory,
    abi: agreementFactoryAbi,
    functionName: 'nonces',
    args: [account.address],
  });
  const deadline = await findDeadline(client);
  const parameters = compileAgreement(agreement, { docUri, values });
  const typedData = deployTypedData({ chainId, factory, parameters, nonce, deadline: BigInt(deadline) });
  return { signer: account.address, deadline, signature: split(await account.signTypedData(typedData)) };
}

/** Signs an input with the signer's current nonce at the agreement. */
export async function signInputPermit(options: {
  client: PublicClient;
  chainId: number;
  agreementAddress: Address;
  agreement: unknown;
  inputId: string;
  values: unknown;
  account: PrivateKeyAccount;
}): Promise<SignedPermit> {
  const { client, chainId, agreementAddress, agreement, inputId, values, account } = options;
  const nonce = await client.readContract({
    address: agreementAddress,
    abi: agreementEngineAbi,
    functionName: 'nonces',
    args: [account.address],
  });
  const deadline = await findDeadline(client);
  const payload = encodeInputPayload(agreement, inputId, values);
  const permit = { chainId, agreementAddress, inputId, payload, nonce, deadline: BigInt(deadline) };
  return {
    signer: account.address,
    deadline,
    signature: split(await account.signTypedData(inputTypedData(permit))),
  };
}

/** One hour ahead of the later clock: a local chain may be ahead of this machine. */
async function findDeadline(client: PublicClient): Promise<number> {
  const { timestamp } = await client.getBlock();
  return Math.max(Number(timestamp), Math.floor(Date.now() / 1_000)) + lifetimeSeconds;
}

function split(signature: Hex): SignedPermit['signature'] {
  const { r, s, yParity } = parseSignature(signature);
  return { v: yParity === 0 ? 27 : 28, r, s };
}
