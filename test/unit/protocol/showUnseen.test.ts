import { expect, test } from 'vitest';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';

test.each([
  ['Rent\u202e', 'Rent⟨U+202E⟩'],
  ['\u2066a\u2069 \u200fb\u061c', '⟨U+2066⟩a⟨U+2069⟩ ⟨U+200F⟩b⟨U+061C⟩'],
  ['a\u{e0041}\u{e007f}b', 'a⟨U+E0041⟩⟨U+E007F⟩b'],
  ['a\u0000\u001b[31m\u2028\ue000\ud800', 'a⟨U+0000⟩⟨U+001B⟩[31m⟨U+2028⟩⟨U+E000⟩⟨U+D800⟩'],
  ['a\u3164\u2060\ufeff', 'a⟨U+3164⟩⟨U+2060⟩⟨U+FEFF⟩'],
])('%j is shown as %s', (text, shown) => {
  expect(showUnseen(text)).toBe(shown);
});

test.each([
  ['a\n\tb\r\n'],
  ['می\u200cخواهم'],
  ['👩\u200d👩\u200d👧 ❤\ufe0f'],
  ['Straßen\u00adbahn'],
  ['שכר דירה 901'],
  ['🇫🇷 é日本'],
])('%j stays', (text) => {
  expect(showUnseen(text)).toBe(text);
});
