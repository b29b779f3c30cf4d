import { describe, expect, test } from 'vitest';
import { toPlainText } from '../../../console/src/wallet/plainText.ts';

describe('what a stranger calls itself', () => {
  test.each([
    ['My wallet', 'My wallet'],
    ['محفظة', 'محفظة'],
    ['\u202ekcab\u2066', 'kcab'],
    [' a\u0000\n\n\tb\u00a0\u2003c ', 'a b c'],
    ['\u200b\u00ad\ufeff', ''],
    ['\ud800x\ue000', 'x'],
    ['x'.repeat(1_000_000), `${'x'.repeat(9)}…`],
    ['\u{1f98a}'.repeat(20), `${'\u{1f98a}'.repeat(9)}…`],
    ['\u{1f98a}'.repeat(10), '\u{1f98a}'.repeat(10)],
    [undefined, ''],
    [{ text: 'an object' }, ''],
  ])('%j is shown as %j', (text, shown) => {
    expect(toPlainText(text, 10)).toBe(shown);
  });
});
