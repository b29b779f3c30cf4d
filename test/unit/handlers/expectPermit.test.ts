import { encodeFunctionData, getAddress, type Hex } from 'viem';
import { expect, test } from 'vitest';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { expectPermit } from '../../../src/indexer/decoding/expectPermit.ts';

const engine = '0x00000000000000000000000000000000000000e1';
const signer = getAddress('0xabcdef0000000000000000000000000000000123');
const from = '0x00000000000000000000000000000000000000f1';
const inputId = `0x${'11'.repeat(32)}` as const;
const word = `0x${'22'.repeat(32)}` as const;

const withPermit = encodeFunctionData({
  abi: agreementEngineAbi,
  functionName: 'submitInputWithPermit',
  args: [signer, inputId, '0x1234', 99n, 27, word, word],
});
const withoutPermit = encodeFunctionData({
  abi: agreementEngineAbi,
  functionName: 'submitInput',
  args: [inputId, '0x1234'],
});

test('a call of the engine with a permit shows its signer, and its sender as the submitter', () => {
  expect(expectPermit({ from, to: `0x${engine.slice(2).toUpperCase()}`, input: withPermit }, engine)).toEqual(
    {
      permitSigner: signer.toLowerCase(),
      permitSubmitter: from,
    },
  );
});

const others: [string, { to: Hex | null; input: Hex }][] = [
  ['a call without a permit', { to: engine, input: withoutPermit }],
  ['a call of another contract', { to: from, input: withPermit }],
  ['a creation of a contract', { to: null, input: withPermit }],
  ['a call that ends within the signer', { to: engine, input: `0x${withPermit.slice(2, 70)}` }],
  ['no data', { to: engine, input: '0x' }],
];

test.each(others)('%s shows no permit', (_, call) => {
  expect(expectPermit({ from, ...call }, engine)).toBeNull();
});
