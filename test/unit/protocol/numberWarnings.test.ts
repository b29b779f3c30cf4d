import { expect, test } from 'vitest';
import { validateAgreement } from '../../../src/protocol/validateAgreement.ts';
import { busyMs } from '../../support/busyMs.ts';

test('numbers that may not be what the author wrote are warned of, with their paths', () => {
  const text =
    '{"metadata": {"templateId": "t", "rent": 1e400, "parts": [{"count": 12345678901234567890}, 9007199254740991, 0.5]}}';
  expect(
    validateAgreement(JSON.parse(text)).warnings.filter(({ path }) => path.startsWith('metadata')),
  ).toEqual([
    { path: 'metadata.rent', message: 'is too large for a number: null is signed and stored in its place' },
    {
      path: 'metadata.parts.0.count',
      message: 'may have lost digits: 12345678901234567000 is signed and stored. Write it as text',
    },
  ]);
});

test('names around such a number make no warning long', () => {
  const agreement = { metadata: { templateId: 't', ['x'.repeat(100_000)]: 2 ** 60 } };
  const path = `metadata.${'x'.repeat(990)}…`;
  expect(validateAgreement(agreement).warnings.filter((warning) => warning.path === path)).toHaveLength(1);
});

test('very many such numbers below a long name take no longer than others', () => {
  const numbers = Array.from({ length: 40_000 }, () => Number.POSITIVE_INFINITY);
  const took = (name: string) => {
    const agreement = { metadata: { templateId: 't' }, [name]: numbers };
    return busyMs(() => expect(validateAgreement(agreement).warnings.length).toBeGreaterThan(0));
  };
  took('x');
  expect(took('x'.repeat(250_000))).toBeLessThan(5 * took('x') + 500);
});
