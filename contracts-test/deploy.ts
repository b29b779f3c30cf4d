import {
  type Address,
  concatHex,
  createPublicClient,
  createWalletClient,
  encodeAbiParameters,
  encodeDeployData,
  type Hex,
  http,
} from 'viem';
import { testTokenAbi } from './abis/TestToken.ts';
import { testVerifierAbi } from './abis/TestVerifier.ts';
import { readCreationCode } from './artifacts.ts';
import { awaitReceipt } from './awaitReceipt.ts';
import { placeContract } from './placeContract.ts';

/** An Anvil chain, and the protocol's registered addresses on the public chain that it stands for. */
export interface ProtocolDeployment {
  rpcUrl: string;
  chainId: number;
  factory: Address;
  implementation: Address;
}

/**
 * Places the locked engine and the factory at the registry's addresses, as if they had been constructed
 * there. Leaves existing contracts alone, so it may be called at every start. Sends no transaction and mines
 * no block. Throws if the chain behind `rpcUrl` is not `chainId`.
 */
export async function deployProtocol({
  rpcUrl,
  chainId,
  factory,
  implementation,
}: ProtocolDeployment): Promise<void> {
  const actualChainId = await createPublicClient({ transport: http(rpcUrl) }).getChainId();
  if (actualChainId !== chainId) throw new Error(`${rpcUrl} is chain ${actualChainId}, not ${chainId}`);

  await placeContract({ rpcUrl, address: implementation, initCode: readCreationCode('AgreementEngine') });
  const factoryArguments = encodeAbiParameters([{ type: 'address' }], [implementation]);
  const factoryInitCode = concatHex([readCreationCode('AgreementFactory'), factoryArguments]);
  await placeContract({ rpcUrl, address: factory, initCode: factoryInitCode });
}

/** An Anvil chain, and the unlocked deploying account; by default the chain's first. */
export interface TestDeployment {
  rpcUrl: string;
  from?: Address;
}

/** Deploys an ERC-20 token that anyone may mint and returns its address. */
export async function deployTestToken({
  name = 'Test Token',
  symbol = 'TEST',
  ...deployment
}: TestDeployment & { name?: string; symbol?: string }): Promise<Address> {
  const bytecode = readCreationCode('TestToken');
  return deploy(deployment, encodeDeployData({ abi: testTokenAbi, bytecode, args: [name, symbol] }));
}

/** Deploys a verifier that accepts everything until told to refuse, and returns its address. */
export async function deployTestVerifier(deployment: TestDeployment): Promise<Address> {
  const bytecode = readCreationCode('TestVerifier');
  return deploy(deployment, encodeDeployData({ abi: testVerifierAbi, bytecode }));
}

/** Deploys a contract that makes several calls in one transaction and returns its address. */
export async function deployTestBatch(deployment: TestDeployment): Promise<Address> {
  return deploy(deployment, readCreationCode('TestBatch'));
}

async function deploy({ rpcUrl, from }: TestDeployment, data: Hex): Promise<Address> {
  const transport = http(rpcUrl);
  const wallet = createWalletClient({ transport });
  const account = from ?? (await wallet.getAddresses())[0];
  if (!account) throw new Error(`${rpcUrl} has no unlocked account to deploy from`);

  const hash = await wallet.sendTransaction({ account, chain: null, data });
  const reader = createPublicClient({ transport, pollingInterval: 20 });
  const { contractAddress, status } = await awaitReceipt(reader, hash);
  if (status !== 'success' || !contractAddress) throw new Error(`the deployment ${hash} reverted`);
  return contractAddress;
}
