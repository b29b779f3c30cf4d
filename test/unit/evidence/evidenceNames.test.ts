import { zeroHash } from 'viem';
import { describe, expect, test, vi } from 'vitest';
import { readEvidenceNames } from '../../../src/protocol/evidence/evidenceNames.ts';
import { createReplay } from '../../../src/protocol/evidence/evidenceReplay.ts';
import { showName } from '../../../src/protocol/evidence/showName.ts';
import { compileAgreement, nameHash } from '../../../src/protocol/index.ts';
import { buildLease, reference } from '../../service/support/documents.ts';

const owner = `0x${'0e'.repeat(20)}` as const;
const values = { landlord: owner, tenant: owner, rent: '5' };

/** The lease with many more variables and fields. */
function buildLargeLease(count: number) {
  const many = (name: string, definition: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, definition]));
  const document = buildLease(owner);
  Object.assign(document.variables, many('account', { type: 'address' }));
  Object.assign(document.execution.inputs, { pad: { issuer: '', data: many('field', { type: 'bool' }) } });
  return document;
}

describe('the names of evidence', () => {
  test('are looked up once for all steps', () => {
    const document = buildLargeLease(6_000);
    const names = readEvidenceNames(document);
    const { variables } = createReplay(compileAgreement(document, { values }), owner).engine;
    const asked = vi.spyOn(variables, 'get');
    for (let step = 0; step < 100; step++) {
      expect(names.roles(owner, variables)).toEqual(['landlord', 'tenant']);
      expect(names.state(nameHash('PAID'))).toBe('PAID');
      expect(names.input(nameHash('pad'))).toBe('pad');
    }
    expect(asked.mock.calls.length).toBeLessThan(6_010);
  });

  test('of an account are at most ten', () => {
    const document = buildLease(owner);
    const held = Array.from({ length: 40 }, (_, at) => `held${at}`);
    Object.assign(document.variables, Object.fromEntries(held.map((name) => [name, { type: 'address' }])));
    Object.assign(
      document.execution.initialize.data,
      Object.fromEntries(held.map((name) => [name, reference(name)])),
    );
    const all = { ...values, ...Object.fromEntries(held.map((name) => [name, owner])) };
    const { variables } = createReplay(compileAgreement(document, { values: all }), owner).engine;
    const roles = readEvidenceNames(document).roles(owner, variables);
    expect(roles.slice(0, 3)).toEqual(['landlord', 'tenant', 'held0']);
    expect(roles).toHaveLength(10);
  });

  test('of unknown hashes are the hashes', () => {
    const names = readEvidenceNames(buildLease(owner));
    expect([names.state(zeroHash), names.input(zeroHash)]).toEqual([zeroHash, zeroHash]);
  });

  test.each([
    ['as they are', 'Übergabe, 引き渡し 🗝️', 'Übergabe, 引き渡し 🗝️'],
    ['without characters that reorder others', 'paid\u202eton', 'paid\ufffdton'],
    ['without characters that nobody sees', 'payee\u3164\ufe0f\u{e0152}', 'payee\ufffd\ufffd\ufffd'],
    ['without line ends and half characters', 'a\nb\u2028c\ud800', 'a\ufffdb\ufffdc\ufffd'],
    [
      'cut, with the beginning of the hash',
      'x'.repeat(81),
      `${'x'.repeat(80)}… (${nameHash('x'.repeat(81)).slice(0, 10)})`,
    ],
  ])('are shown %s', (_, name, shown) => {
    expect(showName(name)).toBe(shown);
  });
});
