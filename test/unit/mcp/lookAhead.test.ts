import { expect, test } from 'vitest';
import { lookAhead, tellNext } from '../../../src/api/mcp/lookAhead.ts';
import { acceptedInputs } from '../../../src/protocol/index.ts';

const count = 64;
const ids = Array.from({ length: count }, (_, at) => `input${at}`);
const inputs = Object.fromEntries(ids.map((id) => [id, { issuer: '', data: {} }]));
const transition = (from: string, to: string, input: string) => ({ from, to, conditions: [{ input }] });

/** All inputs of a document lead from one state to itself. */
const circle = { execution: { inputs, transitions: ids.map((id) => transition('A', 'A', id)) } };

test('the work for a state grows with its inputs, and not with their square', () => {
  let lists = 0;
  const counted = new Proxy(inputs, {
    ownKeys(target) {
      lists++;
      return Reflect.ownKeys(target);
    },
  });
  const agreement = { execution: { ...circle.execution, inputs: counted } };
  expect(lookAhead(agreement, { state: 'A', values: {} })).toHaveLength(count);
  expect(lists).toBeLessThanOrEqual(count + 1);
});

test('an input names at most 32 that can follow it, and the sentence says that there are more', () => {
  const next = lookAhead(circle, { state: 'A', values: {} });
  for (const { followedBy } of next) expect(followedBy).toEqual(ids.slice(0, 32));
  expect(tellNext(next)).toContain('where "input0", "input1", "input2", "input3" and many more can follow');
});

test('what follows an input are the inputs that its next state takes, each once and in order', () => {
  const transitions = [
    transition('A', 'B', 'input0'),
    transition('B', 'A', 'input2'),
    transition('B', 'C', 'undeclared'),
    transition('B', 'C', 'input1'),
    transition('B', 'B', 'input2'),
    transition('A', 'C', 'input3'),
  ];
  const agreement = { execution: { inputs, transitions } };
  const next = lookAhead(agreement, { state: 'A', values: {} });
  expect(next.map(({ followedBy }) => followedBy)).toEqual([['input2', 'input1'], []]);
  expect(next[0]?.followedBy).toEqual(acceptedInputs(agreement, 'B').map(({ inputId }) => inputId));
});
