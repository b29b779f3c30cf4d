import fc from 'fast-check';
import { hashTypedData } from 'viem';
import { expect, test } from 'vitest';
import { listNeededValues } from '../../../src/protocol/evidence/evidenceDocument.ts';
import {
  compileAgreement,
  deployTypedData,
  listSignedVariables,
  resolveDeployValues,
  type WireValues,
  warnOfUnsignedValues,
} from '../../../src/protocol/index.ts';
import { alice, bob, buildDocument } from './documents.ts';
import { documentWithValues } from './support/randomDocument.ts';

/** The digest that the owner of a deployment signs. */
function digestOf(agreement: unknown, values: WireValues): string {
  const parameters = compileAgreement(agreement, { docUri: 'x', values });
  return hashTypedData(
    deployTypedData({ chainId: 59141, factory: alice, parameters, nonce: 0n, deadline: 1n }),
  );
}

/** Another value of the same type. */
function change(value: string | boolean | undefined): string | boolean {
  if (typeof value === 'boolean') return !value;
  if (/^0x[0-9a-fA-F]{40}$/.test(value ?? '')) return value === alice ? bob : alice;
  if (/^0x[0-9a-f]{64}$/.test(value ?? '')) return `0x${value?.[2] === '0' ? '1' : '0'}${value?.slice(3)}`;
  if (/^\d+$/.test(value ?? '')) return value === '1' ? '2' : '1';
  return `${value}x`;
}

const referTo = (name: string) => `\${variables.${name}}`;

test('a value that is signed changes the digest, and no other value does', () => {
  const property = fc.property(documentWithValues, ({ document, values: given }) => {
    const { values } = resolveDeployValues({ agreement: document, initValues: given });
    const signed = listSignedVariables(document);
    const digest = digestOf(document, values);
    for (const name of Object.keys(document.variables)) {
      const changed = digestOf(document, { ...values, [name]: change(values[name]) });
      expect({ name, isSigned: changed !== digest }).toEqual({ name, isSigned: signed.has(name) });
    }
  });
  fc.assert(property, { numRuns: 200 });
});

test('the signed values are those that evidence files hold', () => {
  const property = fc.property(documentWithValues, ({ document, values: given }) => {
    const { values } = resolveDeployValues({ agreement: document, initValues: given });
    const needed = listNeededValues(document, 'x', values).map(({ name }) => name);
    expect([...listSignedVariables(document)].sort()).toEqual(needed);
  });
  fc.assert(property, { numRuns: 200 });
});

test('each value that is not signed has a warning', () => {
  const property = fc.property(documentWithValues, ({ document, values }) => {
    const signed = listSignedVariables(document);
    const warned = warnOfUnsignedValues({ agreement: document, initValues: values });
    const unsigned = Object.keys(values).filter((name) => !signed.has(name));
    expect(warned.map(({ path }) => path)).toEqual(unsigned.map((name) => `initValues.${name}`));
  });
  fc.assert(property, { numRuns: 200 });
});

test('an action’s call signs the values of its target and arguments', () => {
  const call = { type: 'evmCall', target: referTo('owner'), args: [referTo('amount')] };
  const agreement = buildDocument({ actions: [{ when: { from: 'A', input: 'go' }, call }] });
  expect([...listSignedVariables(agreement)]).toEqual(['owner', 'amount']);
});

test('a participant’s wallet that is not signed has a warning, once', () => {
  const agreement = buildDocument({ data: { amount: referTo('amount') } });
  const participants = [{ variableKey: 'owner', walletAddress: alice }];
  const pathsOf = (initValues: object) =>
    warnOfUnsignedValues({ agreement, initValues, participants }).map(({ path }) => path);
  expect(pathsOf({ amount: '1' })).toEqual(['participants[0].walletAddress']);
  expect(pathsOf({ owner: alice })).toEqual(['initValues.owner']);
});
