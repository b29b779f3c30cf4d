import {
  type Address,
  concatHex,
  encodeAbiParameters,
  getContractAddress,
  type Hex,
  pad,
  zeroAddress,
  zeroHash,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';
import { readCreationCode } from '../../contracts-test/artifacts.ts';
import { awaitReceipt } from '../../contracts-test/awaitReceipt.ts';
import { deployProtocol, deployTestToken } from '../../contracts-test/deploy.ts';
import { placeContract } from '../../contracts-test/placeContract.ts';
import { startAnvil } from '../../src/cli/devtools/anvil.ts';
import { createAnvilClient } from '../support/anvilClient.ts';
import { createAgreement } from './support/agreement.ts';
import {
  accounts,
  chainId,
  factory,
  implementation,
  startTestChain,
  type TestChain,
} from './support/chain.ts';
import { customError } from './support/reverts.ts';

const deployer = accounts.stranger.address;
const engineCode = readCreationCode('AgreementEngine');
const withImplementation = (address: Address) =>
  concatHex([readCreationCode('AgreementFactory'), encodeAbiParameters([{ type: 'address' }], [address])]);

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const readDomain = (address: Address, rpcUrl = chain.rpcUrl) =>
  createAnvilClient(rpcUrl).readContract({ address, abi: agreementFactoryAbi, functionName: 'eip712Domain' });

/** The code, the nonce and the storage slots that the two constructors write. */
async function readAccount(address: Address) {
  const slots: Hex[] = [
    '0xf0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00',
    '0x9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f00',
    ...Array.from({ length: 12 }, (_, slot) => pad(`0x${slot.toString(16)}`)),
  ];
  const storage = await Promise.all(slots.map((slot) => chain.client.getStorageAt({ address, slot })));
  const nonce = await chain.client.getTransactionCount({ address });
  return { code: await chain.client.getCode({ address }), nonce, storage };
}

/** Runs `step`, and then restores the chain's former state. */
async function undoing<Result>(step: () => Promise<Result>): Promise<Result> {
  const snapshot = await chain.client.snapshot();
  const result = await step();
  await chain.client.revert({ id: snapshot });
  return result;
}

describe('a placed contract', () => {
  it.each([
    ['engine', engineCode],
    ['factory', withImplementation(implementation)],
  ])('equals one that was deployed to its address: %s', async (_, initCode) => {
    const nonce = await chain.client.getTransactionCount({ address: deployer });
    const address = getContractAddress({ from: deployer, nonce: BigInt(nonce) });
    const deployed = await undoing(async () => {
      const hash = await chain.client.sendTransaction({ account: deployer, chain: null, data: initCode });
      await awaitReceipt(chain.client, hash);
      return readAccount(address);
    });
    const placed = await undoing(async () => {
      expect(await placeContract({ rpcUrl: chain.rpcUrl, address, initCode })).toBe(true);
      return readAccount(address);
    });

    expect(placed).toEqual(deployed);
    expect(deployed.nonce).toBe(1);
    expect(deployed.storage.filter((value) => value !== undefined && BigInt(value) !== 0n)).not.toHaveLength(
      0,
    );
  });

  it('is not placed if there is code already', async () => {
    const rpcUrl = chain.rpcUrl;
    const address = await deployTestToken({ rpcUrl });
    const before = await readAccount(address);
    expect(await placeContract({ rpcUrl, address, initCode: engineCode })).toBe(false);
    expect(await readAccount(address)).toEqual(before);
  });
});

describe('the protocol on a chain', () => {
  it('has its factory and its domains at the registry address', async () => {
    expect(await readDomain(factory)).toEqual([
      '0x0f',
      'AgreementFactory',
      '1',
      BigInt(chainId),
      factory,
      zeroHash,
      [],
    ]);
    const agreement = await createAgreement(chain);
    const domain = ['0x0f', 'AgreementEngine', '1', BigInt(chainId), agreement, zeroHash, []];
    expect(await readDomain(agreement)).toEqual(domain);
    const read = { address: factory, abi: agreementFactoryAbi, functionName: 'implementation' } as const;
    expect(await chain.client.readContract(read)).toBe(implementation);
  });

  it('takes no transaction and no block, and stays unchanged on a second call', async () => {
    const anvil = await startAnvil({ chainId: 59141 });
    try {
      const lineaSepolia = {
        rpcUrl: anvil.rpcUrl,
        chainId: 59141,
        factory: '0x26Ff3AdEC23fC5778f190371B1CcCadDa74e26c8',
        implementation: '0x1F0f9c889E6c762D8D5669c65a1A8fDFbEe38664',
      } as const;
      const client = createAnvilClient(anvil.rpcUrl);
      await deployProtocol(lineaSepolia);
      expect(await client.getBlockNumber()).toBe(0n);
      const domain = await readDomain(lineaSepolia.factory, anvil.rpcUrl);
      expect(domain.slice(3, 5)).toEqual([59141n, lineaSepolia.factory]);

      const before = await client.dumpState();
      await deployProtocol(lineaSepolia);
      expect(await client.dumpState()).toBe(before);
    } finally {
      await anvil.stop();
    }
  });

  it('is refused on a chain that is not the one expected', async () => {
    const deployment = { rpcUrl: chain.rpcUrl, chainId: 1, factory, implementation };
    await expect(deployProtocol(deployment)).rejects.toThrow(`is chain ${chainId}, not 1`);
  });
});

describe('a factory', () => {
  it('is not constructed for the zero address, and takes any other as its implementation', async () => {
    const construct = (address: Address) =>
      chain.findRevertData({ from: deployer, data: withImplementation(address) });
    expect(await construct(zeroAddress)).toBe(customError('InvalidImplementation()'));
    expect(await construct(deployer)).toBeNull();
  });
});

describe('the placed engine', () => {
  it('belongs to nobody', async () => {
    const owner = { address: implementation, abi: agreementEngineAbi, functionName: 'owner' } as const;
    expect(await chain.client.readContract(owner)).toBe(zeroAddress);
  });
});
