import { describe, expect, test } from 'vitest';
import { type Parties, resolveRecipients } from '../../../src/records/rules/recipients.ts';

const ann = '0x00000000000000000000000000000000000000A1';
const bob = '0x00000000000000000000000000000000000000b2';
const cem = '0x00000000000000000000000000000000000000C3';

const parties: Parties = {
  participants: [
    { variableKey: 'lender', walletAddress: ann, email: 'Ann@Mail.example' },
    { variableKey: 'reader', walletAddress: bob },
  ],
  observers: ['eve@mail.example', 'EVE@mail.example'],
  variables: { lender: ann, reader: bob, keeper: cem, note: 'text' },
};
const namesOf = (recipients: string[], changes: Partial<Parties> = {}) =>
  resolveRecipients(recipients, { ...parties, ...changes }).map(({ name }) => name);

describe('recipients', () => {
  test('are all participants, by e-mail address if there is one and otherwise by wallet', () => {
    expect(resolveRecipients(['*'], parties)).toEqual([
      { name: 'ann@mail.example', email: 'Ann@Mail.example' },
      { name: bob, email: undefined },
    ]);
  });

  test('are all observers, a variable, and an address, in the order of their mention', () => {
    expect(namesOf(['keeper', '@observers', 'desk@library.example'])).toEqual([
      cem,
      'eve@mail.example',
      'desk@library.example',
    ]);
  });

  test('are notified once, however often and by whatever names they are listed', () => {
    const recipients = ['*', 'lender', 'ANN@mail.example', 'reader', '*', '@observers', 'eve@mail.example'];
    expect(namesOf(recipients)).toEqual(['ann@mail.example', bob, 'eve@mail.example']);
  });

  test('who hold two parts with one wallet are notified once, by mail if possible', () => {
    const variables = { ...parties.variables, reader: ann };
    const participants = parties.participants.map((party) => ({ ...party, walletAddress: ann }) as const);
    expect(namesOf(['reader', 'lender'], { variables, participants })).toEqual(['ann@mail.example']);
  });

  test("are the current holders of the part: a former holder's address stays unused", () => {
    expect(namesOf(['lender'], { variables: { ...parties.variables, lender: cem } })).toEqual([cem]);
  });

  test('are the mapped wallets while a variable has no value', () => {
    expect(namesOf(['*'], { variables: {} })).toEqual(['ann@mail.example', bob]);
  });

  test('without a person yet are left out', () => {
    const none = { participants: [], observers: [], variables: { note: 'text' } };
    expect(namesOf(['*', '@observers', 'keeper', 'note', 'toString'], none)).toEqual([]);
  });
});
