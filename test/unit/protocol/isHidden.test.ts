import { expect, test } from 'vitest';
import { isHidden } from '../../../src/protocol/isHidden.ts';

test.each(['\u200b\u200d', '\u202e\u2066\u2069', '\ufeff\u00ad', '\u3164', '\u2800 \u2800', '\u{e0041}'])(
  'of %j nothing is seen',
  (text) => expect(isHidden(text)).toBe(true),
);

test.each(['a', '\u200f\u05d0', '\u202eabc', '❤️', '👩‍🚀', '–', '\u200b1'])(
  'of %j something is seen',
  (text) => expect(isHidden(text)).toBe(false),
);

test.each(['', ' \t\n\u00a0\u3000'])('%j is no more than spaces', (text) =>
  expect(isHidden(text)).toBe(false),
);
