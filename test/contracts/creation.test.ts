import { concatHex, getAddress, getContractAddress, type Hex, keccak256, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';
import { buildContent, createAgreement, creationCall, readState } from './support/agreement.ts';
import { accounts, factory, implementation, startTestChain, type TestChain } from './support/chain.ts';
import { readDeployment, readEvents } from './support/events.ts';
import { id } from './support/language.ts';
import { permittedCreation, signCreation } from './support/permits.ts';
import { customError } from './support/reverts.ts';

const owner = accounts.owner.address;
const content = buildContent();
const proxyInitCode = concatHex([
  '0x3d602d80600a3d3981f3363d3d373d3d3d363d73',
  implementation,
  '0x5af43d82803e903d91602b57fd5bf3',
]);
const failedDeployment = customError('FailedDeployment()');

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const predict = (salt: Hex) =>
  chain.client.readContract({
    address: factory,
    abi: agreementFactoryAbi,
    functionName: 'predictAddress',
    args: [salt],
  });

describe('a created agreement', () => {
  it('answers for its owner, its document and its state', async () => {
    const address = await createAgreement(chain);
    const read = (functionName: 'owner' | 'docUri' | 'docHash' | 'initialState' | 'currentState') =>
      chain.client.readContract({ address, abi: agreementEngineAbi, functionName });
    expect(await read('owner')).toBe(owner);
    expect(await read('docUri')).toBe(content.docUri);
    expect(await read('docHash')).toBe(content.docHash);
    expect(await read('initialState')).toBe(id('open'));
    expect(await read('currentState')).toBe(id('open'));
  });

  it('is a minimal proxy of the implementation', async () => {
    const code = await chain.client.getCode({ address: await createAgreement(chain) });
    expect(code).toBe(`0x${proxyInitCode.slice(22)}`.toLowerCase());
  });

  it("is at the address of the factory's next creation", async () => {
    const nonce = BigInt(await chain.client.getTransactionCount({ address: factory }));
    expect(nonce).toBeGreaterThan(0n);
    expect(await createAgreement(chain)).toBe(getContractAddress({ from: factory, nonce }));
  });

  it('is announced by the factory before its own events', async () => {
    const { logs } = await chain.send(creationCall({}, id('events')));
    const { agreement } = readDeployment(logs);
    const { docUri, docHash, initialState } = content;
    expect(readEvents(logs)).toEqual([
      ['AgreementDeployed', { agreement, owner, docUri, docHash }],
      ['AgreementInitialized', { owner, docUri, docHash, initialState }],
      ['Initialized', { version: 1n }],
    ]);
    expect(logs.map(({ address }) => getAddress(address))).toEqual([factory, agreement, agreement]);
  });
});

describe('a deterministic creation', () => {
  it('uses the address that the factory predicts from the salt alone', async () => {
    const salt = id('salt');
    const predicted = await predict(salt);
    const create2 = { from: factory, salt, bytecode: proxyInitCode, opcode: 'CREATE2' } as const;
    expect(predicted).toBe(getContractAddress(create2));

    const { logs } = await chain.send(creationCall({}, salt, accounts.stranger.address));
    expect(readDeployment(logs)).toMatchObject({ agreement: predicted, owner: accounts.stranger.address });
    expect(await readState(chain, predicted)).toBe(id('open'));
  });

  it('cannot use a salt again, not even for another, and not by a permit', async () => {
    const salt = id('used');
    await chain.send(creationCall({}, salt));
    const others = creationCall({ docHash: id('another document') }, salt, accounts.stranger.address);
    expect(await chain.findRevertData(others)).toBe(failedDeployment);

    const deadline = (await chain.now()) + 600n;
    const permitted = permittedCreation(content, deadline, await signCreation(content, { deadline }), salt);
    expect(await chain.findRevertData(permitted)).toBe(failedDeployment);
  });
});

describe('the type hashes', () => {
  it('are those of the texts that permits are signed under', async () => {
    const creation =
      'PermitAgreementWithActions(string docUri,bytes32 docHash,bytes32 initialState,bytes32 inputDefsHash,bytes32 transitionsHash,bytes32 initVarsHash,bytes32 verifiersHash,bytes32 actionsHash,uint256 nonce,uint256 deadline)';
    const input = 'PermitInput(bytes32 inputId,bytes payload,uint256 nonce,uint256 deadline)';
    const ofFactory = { abi: agreementFactoryAbi, functionName: 'PERMIT_WITH_ACTIONS_TYPEHASH' } as const;
    const ofEngine = { abi: agreementEngineAbi, functionName: 'PERMIT_TYPEHASH' } as const;
    expect(await chain.client.readContract({ address: factory, ...ofFactory })).toBe(
      keccak256(toHex(creation)),
    );
    const address = await createAgreement(chain);
    expect(await chain.client.readContract({ address, ...ofEngine })).toBe(keccak256(toHex(input)));
  });
});
