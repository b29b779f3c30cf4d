import { describe, expect, test } from 'vitest';
import { compileAgreement, resolveDeployValues } from '../../../src/protocol/index.ts';
import { alice, bob, buildDocument, readDocument, someHash } from './documents.ts';

const escrow = readDocument('escrow');
const initValues = { price: 7, express: 'true', orderRef: someHash };
const participants = [
  { variableKey: 'seller', walletAddress: bob.toLowerCase(), email: 'bob@example.org', firstName: 'Bob' },
  { variableKey: 'buyer', walletAddress: alice },
];
const found = (request: { initValues?: unknown; participants?: unknown; agreement?: unknown }) =>
  resolveDeployValues({ agreement: escrow, initValues, participants, ...request }).issues.map(
    ({ reason, path }) => [reason, path],
  );

test('values are normalised in the document’s order and wallets checksummed', () => {
  expect(resolveDeployValues({ agreement: escrow, initValues, participants })).toEqual({
    values: { buyer: alice, seller: bob, price: '7', express: true, orderRef: someHash },
    participants: [
      { variableKey: 'seller', walletAddress: bob, email: 'bob@example.org', firstName: 'Bob' },
      { variableKey: 'buyer', walletAddress: alice },
    ],
    contributors: [bob, alice],
    issues: [],
  });
});

test('resolved values compile like the given ones', () => {
  const { values } = resolveDeployValues({ agreement: escrow, initValues, participants });
  const given = { ...initValues, seller: bob.toLowerCase(), buyer: alice };
  expect(compileAgreement(escrow, { values })).toEqual(compileAgreement(escrow, { values: given }));
});

test('a participant variable whose wallet comes with the values is a participant too', () => {
  const given = { ...initValues, buyer: alice.toLowerCase(), seller: bob };
  const resolved = resolveDeployValues({
    agreement: escrow,
    initValues: given,
    participants: participants.slice(0, 1),
  });
  expect(resolved.issues).toEqual([]);
  expect(resolved.participants.map(({ variableKey, walletAddress }) => [variableKey, walletAddress])).toEqual(
    [
      ['seller', bob],
      ['buyer', alice],
    ],
  );
});

test('a wallet of two participants counts once', () => {
  const both = participants.map((participant) => ({ ...participant, walletAddress: alice }));
  expect(resolveDeployValues({ agreement: escrow, initValues, participants: both }).contributors).toEqual([
    alice,
  ]);
});

test('a participant may be mapped to any address variable', () => {
  const agreement = buildDocument({ data: { owner: `\${variables.owner}` } });
  const resolved = resolveDeployValues({
    agreement,
    participants: [{ variableKey: 'owner', walletAddress: alice }],
  });
  expect(resolved).toMatchObject({ values: { owner: alice }, contributors: [alice], issues: [] });
});

describe('invalid values', () => {
  test.each([
    ['an unknown variable', { colour: 'red' }, 'colour'],
    ['a name of Object.prototype', { toString: 'x' }, 'toString'],
    ['a wrong type', { price: 'seven' }, 'price'],
    ['null', { price: null }, 'price'],
    ['a broken rule', { price: 0 }, 'price'],
    ['a text that is too long', { note: 'x'.repeat(281) }, 'note'],
    ['half a character', { note: '\ud800' }, 'note'],
    ['another wallet than the participant’s', { buyer: bob }, 'buyer'],
    ['an address in the wrong case', { buyer: alice.replace('9e', '9E') }, 'buyer'],
  ])('%s', (_, wrong, name) => {
    expect(found({ initValues: { ...initValues, ...wrong } })).toEqual([
      ['invalid_values', `initValues.${name}`],
    ]);
  });

  test('the participant’s own wallet may be repeated in whatever case', () => {
    expect(found({ initValues: { ...initValues, buyer: alice.toLowerCase() } })).toEqual([]);
  });

  test('every value that creation needs and misses', () => {
    const missing = ['buyer', 'seller', 'price', 'express', 'orderRef'].map((name) => [
      'invalid_values',
      `initValues.${name}`,
    ]);
    expect(found({ initValues: undefined, participants: undefined })).toEqual(missing);
  });

  test('a value that only an action needs', () => {
    const call = {
      type: 'evmCall',
      target: `\${variables.owner}`,
      abi: [{ type: 'function', name: 'f' }],
      method: 'f',
    };
    const agreement = buildDocument({ actions: [{ when: { from: 'A', input: 'go' }, call }] });
    expect(found({ agreement, initValues: {}, participants: [] })).toEqual([
      ['invalid_values', 'initValues.owner'],
    ]);
  });

  test.each([[[]], ['x'], [7]])('values that are %j', (wrong) => {
    expect(found({ initValues: wrong })[0]).toEqual(['invalid_values', 'initValues']);
  });
});

describe('invalid participants', () => {
  const [seller] = participants;

  test.each([
    ['an unknown variable', { variableKey: 'broker', walletAddress: alice }, 'variableKey'],
    ['a variable that is no address', { variableKey: 'price', walletAddress: alice }, 'variableKey'],
    ['a repeated variable', seller, 'variableKey'],
    ['no variable', { walletAddress: alice }, 'variableKey'],
    ['no wallet', { variableKey: 'buyer' }, 'walletAddress'],
    [
      'a wallet in the wrong case',
      { variableKey: 'buyer', walletAddress: alice.replace('9e', '9E') },
      'walletAddress',
    ],
    ['a wallet that is too short', { variableKey: 'buyer', walletAddress: '0x12' }, 'walletAddress'],
  ])('%s', (_, wrong, member) => {
    const given = { ...initValues, buyer: alice };
    expect(found({ initValues: given, participants: [seller, wrong] })).toEqual([
      ['invalid_participants', `participants.1.${member}`],
    ]);
  });

  test('a wallet that was refused is not missing as well', () => {
    const wrong = [seller, { variableKey: 'buyer', walletAddress: 'soon' }];
    expect(found({ participants: wrong })).toEqual([
      ['invalid_participants', 'participants.1.walletAddress'],
    ]);
  });

  test.each([[{}], ['x'], [7]])('participants that are %j', (wrong) => {
    const given = { ...initValues, buyer: alice, seller: bob };
    expect(found({ initValues: given, participants: wrong })).toEqual([
      ['invalid_participants', 'participants'],
    ]);
  });
});
