import { expect, test } from 'vitest';
import { z } from 'zod';
import { documentArgument, valuesArgument } from '../../../src/api/mcp/agentArguments.ts';
import { compactSchema } from '../../../src/api/mcp/compactSchema.ts';
import { deploymentArguments } from '../../../src/api/mcp/hosted/hostedArguments.ts';

const sent: unknown = JSON.parse('{"b":1,"__proto__":{"a":2},"a":3}');

test.each([
  ['a document', documentArgument],
  ['values', valuesArgument],
  ['initial values of the hosted names', deploymentArguments.initValues],
])('%s keep every member and the order, also of a member called __proto__', (_, argument) => {
  expect(JSON.stringify(argument.parse(sent))).toBe(JSON.stringify(sent));
});

test.each([[[]], [null], ['text'], [1]])('%j is no object', (value) => {
  expect(valuesArgument.safeParse(value).error?.issues).toMatchObject([{ message: 'must be an object' }]);
});

test('what is left out is missing, unless it is optional', () => {
  expect(valuesArgument.safeParse(undefined).error?.issues).toMatchObject([{ message: 'is missing' }]);
  expect(deploymentArguments.initValues.parse(undefined)).toBeUndefined();
});

test('agents see an object', () => {
  const shape = z.strictObject({ values: valuesArgument, ...deploymentArguments });
  const isObject = { type: 'object' };
  expect(compactSchema(shape, 'input')).toMatchObject({
    properties: { values: isObject, initValues: isObject },
    required: ['values'],
  });
});
