import { expect, test } from 'vitest';
import { encodeValue } from '../../../src/protocol/encodeValue.ts';
import { compileAgreement, nameHash, resolveAdoptedValues } from '../../../src/protocol/index.ts';
import { FieldType } from '../../../src/protocol/onChain.ts';
import { alice, bob, buildDocument, readDocument, someHash } from './documents.ts';

const escrow = readDocument('escrow');
const values = { buyer: alice, seller: bob, price: '7', express: true, orderRef: someHash };
const { initVars } = compileAgreement(escrow, { values });

test('the values that an agreement was created with are read back as they were', () => {
  expect(resolveAdoptedValues({ agreement: escrow, initVars })).toEqual({
    values,
    participants: [
      { variableKey: 'buyer', walletAddress: alice },
      { variableKey: 'seller', walletAddress: bob },
    ],
    contributors: [alice, bob],
    issues: [],
  });
});

test("participants count if the chain shows nothing, and must equal the chain's if it does", () => {
  const participants = [{ variableKey: 'seller', walletAddress: bob.toLowerCase(), email: 'b@example.org' }];
  const known = resolveAdoptedValues({ agreement: escrow, initVars: [], participants });
  expect(known).toMatchObject({ values: { seller: bob }, contributors: [bob], issues: [] });

  const other = [{ variableKey: 'seller', walletAddress: alice }];
  expect(resolveAdoptedValues({ agreement: escrow, initVars, participants: other })).toMatchObject({
    values: { seller: bob },
    issues: [{ reason: 'invalid_participants', path: 'participants.0.walletAddress' }],
  });
});

test('participants that cannot be are all named', () => {
  const participants = [
    { variableKey: 'price', walletAddress: alice },
    { variableKey: 'buyer', walletAddress: '0x12' },
    'nobody',
  ];
  const { issues } = resolveAdoptedValues({ agreement: escrow, initVars: [], participants });
  expect(issues.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['participants.0.variableKey', 'participants.1.walletAddress']),
  );
  expect(resolveAdoptedValues({ agreement: escrow, initVars: [], participants: 7 }).issues).toHaveLength(1);
});

const document = buildDocument({
  variables: { level: { type: 'uint256', validation: { min: 5 } }, note: { type: 'string' } },
});
const field = (name: string, fType: FieldType, value: string) => ({
  id: nameHash(name),
  fType,
  data: encodeValue(fType, value),
});

test('a value that breaks the rules of its variable is a value, and of repeats the last counts', () => {
  const created = [field('level', FieldType.UINT256, '9'), field('level', FieldType.UINT256, '1')];
  expect(resolveAdoptedValues({ agreement: document, initVars: created }).values).toEqual({ level: '1' });
});

test("a value of another type than the document's, undecodable or undeclared, does not count", () => {
  const created = [
    field('note', FieldType.UINT256, '9'),
    { ...field('level', FieldType.UINT256, '9'), data: '0x12' as const },
    field('other', FieldType.STRING, 'x'),
  ];
  expect(resolveAdoptedValues({ agreement: document, initVars: created })).toMatchObject({
    values: {},
    issues: [],
  });
});
