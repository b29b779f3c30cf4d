import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { buildPage } from '../../../src/api/documents/buildPage.ts';
import { readContent } from '../../../src/api/documents/content.ts';
import { pageHeaders } from '../../../src/api/documents/pagePolicy.ts';
import { sampleDocument } from '../../support/sampleDocument.ts';

const policyOf = (page: string) =>
  /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)?.[1]?.replaceAll('&#39;', "'");

describe('a page', () => {
  test('shows what identifies the document, so that it can be checked', () => {
    const document = sampleDocument();
    const page = buildPage(document);
    const { docHash, agreementAddress = '', agreementId, documentId, docUri, displayName } = document;
    for (const fact of [docHash, agreementAddress, agreementId, documentId, docUri])
      expect(page).toContain(`<bdi>${fact}</bdi>`);
    expect(page).toContain(`<title>${displayName}</title>`);
    expect(page).toContain('<dd>Linea Sepolia (59141)</dd>');
    expect(page).toContain('<time datetime="2026-11-21T09:36:00.123Z">21 November 2026 at 09:36 UTC</time>');
  });

  test('of an agreement without a contract says so', () => {
    const page = buildPage(sampleDocument({ agreementAddress: undefined, chainId: 5 }));
    expect(page).toContain('<p class="place">Chain 5, not deployed</p>');
    expect(page).not.toContain('<dt>Contract</dt>');
  });

  test('says what it leaves out, and only then', () => {
    expect(buildPage(sampleDocument())).not.toContain('role="note"');
    expect(buildPage(sampleDocument({ template: 'a <script>b</script>' }))).toContain('are left out here');
  });

  test('allows its own style alone, in its headers and in itself', () => {
    const page = buildPage(sampleDocument());
    const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const rules = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
    expect(policyOf(page)).toBe(rules);
    expect(pageHeaders['content-security-policy']).toBe(
      `${rules}; frame-ancestors 'none'; sandbox allow-popups allow-popups-to-escape-sandbox`,
    );
  });

  test('loads nothing', () => {
    expect(buildPage(sampleDocument())).not.toMatch(/\bsrc=|<link|<script|@import|url\(/);
  });

  test('is the same whenever it is made', () => {
    expect(buildPage(sampleDocument())).toBe(buildPage(sampleDocument()));
  });
});

describe('the readable content', () => {
  test.each([
    [{ content: { type: 'html', data: 'a' } }, { contentType: 'html', template: 'a' }],
    [{ content: { data: 'a' } }, { contentType: 'md', template: 'a' }],
    [{ content: { type: null, data: ['a'] } }, { contentType: 'md', template: '' }],
    [{ content: 'a' }, { contentType: 'md', template: '' }],
    [{}, { contentType: 'md', template: '' }],
  ])('of %j is %j', (agreement, content) => {
    expect(readContent(agreement)).toEqual(content);
  });
});
