import { describe, expect, test } from 'vitest';
import { fillTemplate, maxValuesLength } from '../../../src/records/documents/fillTemplate.ts';

const ref = (name: string) => `\${variables.${name}}`;

describe('a template', () => {
  test.each<[string, string]>([
    [ref('name'), 'Ada'],
    [ref('name.value'), 'Ada'],
    [`${ref('name')}${ref('name')}, ${ref('name.value')}.`, 'AdaAda, Ada.'],
    [`${ref('flag')} ${ref('amount')}`, 'false 12'],
    [`<${ref('empty')}>`, '<>'],
    [`$${ref('name')}}`, '$Ada}'],
    ['', ''],
  ])('%s becomes %s', (template, text) => {
    const values = { name: 'Ada', flag: false, amount: '12', empty: '' };
    expect(fillTemplate(template, values)).toBe(text);
  });

  test.each([['dueBack'], ['constructor'], ['__proto__'], ['toString'], ['0']])(
    'has the name in brackets for an unknown value: %s',
    (name) => {
      expect(fillTemplate(`Due: ${ref(name)}, ${ref(`${name}.value`)}`, {})).toBe(
        `Due: [${name}], [${name}]`,
      );
    },
  );

  test.each([
    [ref('name.other')],
    [ref('name.value.value')],
    [ref('')],
    [ref('a b')],
    [ref('a-b')],
    ['$variables.name'],
    [`\${variable.name}`],
    [`\${ variables.name }`],
    [`\${contracts.name.address}`],
    [`\${variables.name`],
  ])('keeps text that is no reference: %s', (template) => {
    expect(fillTemplate(template, { name: 'Ada', a: 'x', variables: 'y' })).toBe(template);
  });

  test('takes nothing in a value for a reference or a pattern', () => {
    const values = { a: `${ref('b')} $& $1 $\` $$`, b: 'inner' };
    expect(fillTemplate(`(${ref('a')})`, values)).toBe(`(${values.a})`);
  });
});

describe('values that would fill more than there is room for', () => {
  test('stay names, those first that need the most', () => {
    const values = { small: 'Ada', large: 'x'.repeat(maxValuesLength / 4) };
    const template = `${ref('small')} ${ref('large')}`;
    expect(fillTemplate(template, values)).toBe(`Ada ${values.large}`);
    expect(fillTemplate(template.repeat(4), values)).toBe('Ada [large]'.repeat(4));
  });

  test('are counted as often as they are named', () => {
    const value = 'x'.repeat(1_000);
    const text = fillTemplate(ref('a').repeat(30_000), { a: value });
    expect(text).toBe('[a]'.repeat(30_000));
  });

  test('may fill the room to the last character', () => {
    const value = 'x'.repeat(maxValuesLength);
    expect(fillTemplate(ref('a'), { a: value })).toBe(value);
    expect(fillTemplate(ref('a'), { a: `${value}x` })).toBe('[a]');
  });
});
