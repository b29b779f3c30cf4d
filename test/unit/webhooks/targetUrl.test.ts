import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findUrlFault } from '../../../src/records/webhooks/targetUrl.ts';

test('every URL parser reads an accepted address in the same way, and it holds no credentials', () => {
  const scheme = fc.constantFrom('http://', 'https://', 'HTTPS://', 'http:', 'ftp://', '//', '');
  const pieces = fc.constantFrom(
    ...[
      '@',
      ':',
      '/',
      '\\',
      '?',
      '#',
      ' ',
      '\t',
      '\n',
      '.',
      '%40',
      '%00',
      'a',
      'example.com',
      '127.0.0.1',
      '[::1]',
      ':80',
    ],
  );
  const texts = fc
    .tuple(scheme, fc.array(pieces, { maxLength: 8 }))
    .map(([first, rest]) => first + rest.join(''));
  fc.assert(
    fc.property(fc.oneof(texts, fc.webUrl(), fc.string()), (text) => {
      if (findUrlFault(text) !== undefined) return;
      const { protocol, username, password, href } = new URL(text);
      expect(['http:', 'https:']).toContain(protocol);
      expect([username, password]).toEqual(['', '']);
      expect(href.slice(protocol.length, protocol.length + 2)).toBe('//');
      expect(text).not.toMatch(/[\s\\]/);
      const [authority = ''] = text.slice(text.indexOf('//') + 2).split(/[/?#]/);
      expect(authority).not.toContain('@');
    }),
    { numRuns: 5_000, examples: [['http:///@@example.com']] },
  );
});

test('slashes that a parser would drop are no way to hide credentials', () => {
  for (const text of ['http:///@@example.com', 'https:////a:b@example.com', 'http:///example.com'])
    expect(findUrlFault(text)).toBe('must be a URL that starts with http:// or https://');
});

test('every web address passes', () => {
  fc.assert(fc.property(fc.webUrl({ withQueryParameters: true }), (url) => findUrlFault(url) === undefined));
});
