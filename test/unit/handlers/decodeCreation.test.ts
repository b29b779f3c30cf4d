import { encodeAbiParameters, encodeFunctionData, type Hex, hexToString, stringToHex, zeroHash } from 'viem';
import { expect, test } from 'vitest';
import { agreementFactoryAbi as abi } from '../../../abis/AgreementFactory.ts';
import { decodeCreation, findCreation } from '../../../src/indexer/decoding/decodeCreation.ts';
import { hashDeploymentContent } from '../../../src/protocol/deploymentContent.ts';

const factory = '0x76dAA59C02d902e7063E6328D2E64ACee6CC121e';
const signer = '0x26Ff3AdEC23fC5778f190371B1CcCadDa74e26c8';
const word = (digit: string): Hex => `0x${digit.repeat(64)}`;
/** The factory's event for a docUri. */
const logOf = (docUri: Hex) =>
  ({
    address: factory,
    data: encodeAbiParameters([{ type: 'bytes' }, { type: 'bytes32' }], [docUri, word('9')]),
  }) as const;
const log = logOf(stringToHex('uri'));
const inputDefs = [
  {
    id: word('1'),
    fields: [{ fieldId: word('2'), fType: 1, required: true, persist: false }],
    conditions: [{ op: 0, fieldId: word('2'), bytesArg: word('3') }],
    verifierKeys: [word('4')],
  },
];
const transitions = [{ fromState: word('5'), toState: word('6'), inputId: word('1') }];
const initVars = [{ id: word('7'), fType: 3, data: word('8') }];
const content = ['uri', word('9'), word('5'), inputDefs, transitions, initVars, [], []] as const;
const signature = [4_000_000_000n, 27, word('a'), word('b')] as const;
const read = { docUri: 'uri', docHash: word('9'), inputDefs, transitions, initVars };

const parameters = {
  docUri: 'uri',
  docHash: word('9'),
  initialState: word('5'),
  inputDefs,
  transitions,
  initVars,
  verifiers: [],
  actions: [],
};
const signedHash = hashDeploymentContent(parameters);

const calls = [
  encodeFunctionData({ abi, functionName: 'createAgreement', args: content }),
  encodeFunctionData({ abi, functionName: 'createAgreementDeterministic', args: [word('c'), ...content] }),
  encodeFunctionData({
    abi,
    functionName: 'createAgreementWithPermit',
    args: [signer, ...content, ...signature],
  }),
  encodeFunctionData({
    abi,
    functionName: 'createAgreementDeterministicWithPermit',
    args: [signer, word('c'), ...content, ...signature],
  }),
];

test('each of the four create functions is read', () => {
  expect(calls.map((input) => decodeCreation({ to: factory, input }, log))).toEqual([
    { ...read, functionName: 'createAgreement', salt: null, signedHash: null },
    { ...read, functionName: 'createAgreementDeterministic', salt: word('c'), signedHash: null },
    { ...read, functionName: 'createAgreementWithPermit', salt: null, signedHash },
    { ...read, functionName: 'createAgreementDeterministicWithPermit', salt: word('c'), signedHash },
  ]);
});

test.each([
  ['docUri', { docUri: 'other' }],
  ['docHash', { docHash: word('8') }],
  ['initial state', { initialState: word('6') }],
  ['input definitions', { inputDefs: [] }],
  ['transitions', { transitions: [] }],
  ['initial values', { initVars: [{ id: word('7'), fType: 3, data: word('9') }] }],
  ['verifiers', { verifiers: [{ key: word('4'), verifier: signer } as const] }],
  [
    'actions',
    {
      actions: [{ fromState: word('5'), inputId: word('1'), target: signer, value: 0n, data: '0x' } as const],
    },
  ],
])('a permit for another %s signs other content', (_, change) => {
  expect(hashDeploymentContent({ ...parameters, ...change })).not.toBe(signedHash);
});

test('the factory is recognised however its address is written', () => {
  const [input = '0x'] = calls;
  const lower = '0x76daa59c02d902e7063e6328d2e64acee6cc121e';
  expect(decodeCreation({ to: lower, input }, log)?.docUri).toBe('uri');
});

test('a call of another contract, a deployment and another function of the factory tell nothing', () => {
  const [input = '0x'] = calls;
  expect(decodeCreation({ to: signer, input }, log)).toBeNull();
  expect(decodeCreation({ to: null, input }, log)).toBeNull();
  const other = encodeFunctionData({ abi, functionName: 'predictAddress', args: [zeroHash] });
  expect(decodeCreation({ to: factory, input: other }, log)).toBeNull();
});

test('call data that do not decode tell nothing', () => {
  const [whole = '0x'] = calls;
  for (const input of ['0x', whole.slice(0, 10), whole.slice(0, -64)]) {
    expect(decodeCreation({ to: factory, input: `0x${input.slice(2)}` }, log)).toBeNull();
  }
});

test('a call belongs to the agreement that it names, and to no other', () => {
  const [input = '0x'] = calls;
  const { docHash, docUri } = read;
  const find = (args: { docHash: Hex; docUri: string }) =>
    findCreation({ args, log, transaction: { to: factory, input } });
  expect(find({ docHash, docUri })).toMatchObject(read);
  expect(find({ docHash: word('8'), docUri })).toBeNull();
  expect(find({ docHash, docUri: 'other' })).toBeNull();
});

test.for(['\ufeffhttps://a/b', '\0https://a/b', 'x\ufeffy'])(
  'the docUri %j is hashed as it was signed',
  (docUri) => {
    const [, ...others] = content;
    const input = encodeFunctionData({
      abi,
      functionName: 'createAgreementWithPermit',
      args: [signer, docUri, ...others, ...signature],
    });
    const bytes = stringToHex(docUri);
    const creation = findCreation({
      args: { docUri: hexToString(bytes), docHash: word('9') },
      log: logOf(bytes),
      transaction: { to: factory, input },
    });
    expect(creation?.signedHash).toBe(hashDeploymentContent({ ...parameters, docUri }));
  },
);

test('a docUri of invalid bytes is not the one that a text stands for', () => {
  const [, , input = '0x'] = calls;
  const signed = (docUri: Hex) => decodeCreation({ to: factory, input }, logOf(docUri))?.signedHash;
  expect(signed('0xff')).not.toBe(signed(stringToHex('\ufffd')));
});
