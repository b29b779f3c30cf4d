import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildEvidencePage } from '../../../src/api/evidence/buildEvidencePage.ts';
import { verifyEvidence } from '../../../src/protocol/evidence/verifyEvidence.ts';
import { stripProofs } from '../../evidence/forgeFiles.ts';

const lease = readFileSync(new URL('../../evidence/files/lease.json', import.meta.url), 'utf8');

/** The text of a page that a reader sees. */
const readText = (page: string) =>
  page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<\/?(bdi|strong)>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the page of evidence', () => {
  test('names each account once by its address, and then by what the text calls it', async () => {
    const verdict = await verifyEvidence(lease);
    const text = readText(buildEvidencePage(verdict));
    expect(text).toContain('1 landlord 0x77d23E73B32Ba30A040d60FB133481Bd6754096A');
    expect(text).toContain('tenant account 3 signed a permit accept, led to ACTIVE months: 4 remark: gladly');
    expect(text).toContain('keeper account 2 signed the transaction knock');
    expect(text).toMatch(/tenant: 0x\w{40} \(account 3\)/);
    expect(text).toContain(
      'The steps in the file lead to the state PAID, which the text describes so: “The rent is paid.”',
    );
  });

  test('says at its head what has to be trusted, by the level', async () => {
    const included = buildEvidencePage(await verifyEvidence(lease));
    expect(readText(included)).toContain('genuine if the blocks at the end of this page belong to the chain');
    const signed = buildEvidencePage(await verifyEvidence(stripProofs(lease)));
    expect(readText(signed)).toContain('Nothing in the file shows that the chain executed them');
  });

  test('says of a file that is refused that it proves nothing, and where the fault is', async () => {
    const page = buildEvidencePage(
      await verifyEvidence(lease.replace('The rent is paid', 'The rent is due')),
    );
    expect(readText(page)).toContain('proves nothing');
    expect(page).toContain('<code>document.text</code>');
  });

  test('runs nothing of what a document says', async () => {
    const verdict = await verifyEvidence(lease);
    if (!verdict.ok) throw new Error(verdict.message);
    const hostile = '<img src=x onerror=alert(1)>';
    const document = JSON.stringify({ execution: { states: { [hostile]: { description: hostile } } } });
    const acts = verdict.acts.map((act) => ({
      ...act,
      ...{ roles: [hostile], input: hostile, toState: hostile, values: [{ name: hostile, value: hostile }] },
    }));
    const agreement = { ...verdict.agreement, state: hostile };
    const page = buildEvidencePage({ ...verdict, name: hostile, document, agreement, acts });
    expect(page).toContain('&lt;img');
    expect(page).not.toContain('<img');
  });
});
