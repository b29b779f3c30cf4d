import { expect, test } from 'vitest';
import { splitReferences } from '../../../console/src/markdown/splitReferences.ts';

const refer = (path: string) => `\${variables.${path}}`;
const unlike = `${refer('')} $variables.a \${a} ${refer('a.b')}`;

test.each([
  ['no variable', ['no variable']],
  ['', ['']],
  [refer('a'), ['', 'a', '']],
  [refer('a.value') + refer('b'), ['', 'a', '', 'b', '']],
  [`Rent: ${refer('rent')} EUR, by ${refer('day.value')}.`, ['Rent: ', 'rent', ' EUR, by ', 'day', '.']],
  [unlike, [unlike]],
])('%j has its texts and variables in turn', (template, parts) => {
  expect(splitReferences(template)).toEqual(parts);
});
