import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  pad,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { buildContent, contentArguments, inputDef, transition } from './support/agreement.ts';
import { accounts, implementation, startTestChain, type TestChain } from './support/chain.ts';
import { bytes32Field, declare, encodePayload, id } from './support/language.ts';
import { permittedSubmission } from './support/permits.ts';
import { customError } from './support/reverts.ts';

/** A permit that the public deployment on Ethereum Sepolia accepts, signed by other software. */
const agreement: Address = '0xC1f335dBf596819fb6b053A3a57d9c053Dd3fF4f';
const transactionHash: Hex = '0x57fe6183d86eed1a3ed041b9e681d9bc482033c12c4c5283f7f78bd486f173c0';
const input = 'workTokenSentTx';
const payload = encodePayload(bytes32Field(input, transactionHash));
const nonce = 3;
const deadline = 1893456007n;
const signature = {
  v: 28,
  r: '0x3aa21fb976f597afaa66f45e3617be1baa527a0b86e6e9269804b182e88fd8b4',
  s: '0x2963af6dcddd4253f8ac03f141703e76616edf940ab2470d2a569bb800ffbbb6',
} as const;

const signer = accounts.signer.address;
const noncesSlot = 7n;

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
  const bytecode = concatHex(['0x363d3d373d3d3d363d73', implementation, '0x5af43d82803e903d91602b57fd5bf3']);
  await chain.client.setCode({ address: agreement, bytecode });
  const content = buildContent({
    inputDefs: [inputDef(input, { fields: [declare(input, 'BYTES32')] })],
    transitions: [transition('open', input, 'open')],
  });
  const args = [signer, ...contentArguments(content)] as const;
  const data = encodeFunctionData({ abi: agreementEngineAbi, functionName: 'initialize', args });
  await chain.send({ from: signer, to: agreement, data });
});
afterAll(() => chain.stop());

describe('a permit known to be good', () => {
  const call = permittedSubmission(agreement, id(input), payload, deadline, signature);

  it('is accepted at its nonce and at no other', async () => {
    expect(await chain.findRevertData(call)).toBe(customError('InvalidSignature()'));
    await setNonce(nonce);
    expect(await chain.findRevertData(call)).toBeNull();
    await setNonce(nonce + 1);
    expect(await chain.findRevertData(call)).toBe(customError('InvalidSignature()'));
  });
});

async function setNonce(value: number) {
  const index = keccak256(
    encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [signer, noncesSlot]),
  );
  await chain.client.setStorageAt({ address: agreement, index, value: pad(`0x${value.toString(16)}`) });
  const nonces = {
    address: agreement,
    abi: agreementEngineAbi,
    functionName: 'nonces',
    args: [signer],
  } as const;
  expect(await chain.client.readContract(nonces)).toBe(BigInt(value));
}
