import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkedData } from '../../../src/api/mcp/checkedData.ts';
import { inputRecordShape } from '../../../src/api/shapes/resources.ts';

const shape = z.object({ values: inputRecordShape.shape.values });

test('data keep a member called __proto__', () => {
  const sent: unknown = JSON.parse('{"values":{"a":"1","__proto__":"2"}}');
  expect(JSON.stringify(checkedData(shape, sent))).toBe(JSON.stringify(sent));
});

test('data that are not as expected are refused', () => {
  expect(() => checkedData(shape, { values: 1 })).toThrow(z.ZodError);
});
