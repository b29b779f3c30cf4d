import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitPair } from '../../../src/indexer/runtime/splitPair.ts';

const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());

test('an object and any value are found, however they are written', () => {
  fc.assert(
    fc.property(
      object,
      fc.jsonValue(),
      fc.constantFrom(0, 2),
      fc.array(space, { minLength: 6, maxLength: 6 }),
      (...given) => {
        const [first, second, indent, spaces] = given;
        const texts = [first, second].map((value) => JSON.stringify(value, null, indent));
        const [a, b, c, d, e, f] = spaces;
        const pair = splitPair(`${a}[${b}${texts[0]}${c},${d}${texts[1]}${e}]${f}`);
        expect(pair).toEqual(texts);
      },
    ),
  );
});

test('a long second element is not read', () => {
  const long = JSON.stringify({ id: 1, result: [{ data: `0x${'ab'.repeat(2_000_000)}` }] });
  expect(splitPair(`[{"id":0},${long}]`)).toEqual(['{"id":0}', long]);
});

test.each([
  '',
  '{}',
  '[]',
  '[{}]',
  '[{},]',
  '[{} {}]',
  '[1,{}]',
  '["a",{}]',
  '[[],{}]',
  '[{"a":"b,{}]',
  '[{"a":[},{}]',
  '[{},{}',
  '[{},{}]x',
  'x[{},{}]',
  '{"a":[{},{}]}',
])('%s is no pair', (text) => {
  expect(splitPair(text)).toBeUndefined();
});
