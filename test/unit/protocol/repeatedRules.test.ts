import { expect, test } from 'vitest';
import { compileAgreement } from '../../../src/protocol/index.ts';
import { reference } from '../../service/support/documents.ts';
import { busyMs } from '../../support/busyMs.ts';
import { documentWithFields } from './documents.ts';

test('the rules of a variable are read once, however many fields refer to it and however long its bounds are', () => {
  const min = `${'0'.repeat(400_000)}1`;
  const names = Array.from({ length: 8_000 }, (_, at) => `field${at}`);
  const fields = Object.fromEntries(names.map((name) => [name, reference('amount')]));
  const agreement = documentWithFields(fields, { amount: { type: 'uint256', validation: { min } } });
  let conditions = 0;
  const ms = busyMs(() => {
    conditions = compileAgreement(agreement).inputDefs[0]?.conditions.length ?? 0;
  });
  expect(conditions).toBe(names.length);
  expect(ms).toBeLessThan(1_500);
});
