import { describe, expect, test } from 'vitest';
import { buildEvidencePage } from '../../../src/api/evidence/buildEvidencePage.ts';
import { askPython, hasPython } from '../../evidence/askPython.ts';
import { findEvidence } from '../../evidence/findEvidence.ts';
import { inventSteps } from '../../evidence/handMade/inventSteps.ts';
import { listHashes } from '../../evidence/listHashes.ts';

describe('a file without any signature of the people whom it names', () => {
  test('proves nothing, although proofs lead from made-up blocks to all of its steps', async () => {
    const text = await inventSteps();
    const found = await findEvidence(text);
    expect(found).toMatchObject({ level: 'none', acts: Array(4).fill({ by: 'nothing' }) });
    expect(found.established.join(' ')).toContain('0 of 4 carry a readable signature');
    expect(found.trusted.join(' ')).toContain('nothing shows who took those steps');
    expect(buildEvidencePage(found)).toContain('<strong>Not proved.</strong>');
    if (hasPython) expect(await askPython([text])).toMatchObject([{ ok: true, level: 'none' }]);
  });

  test('is anchored by confirmed hashes, but is not called signed', async () => {
    const text = await inventSteps();
    const hashes = listHashes(text);
    const found = await findEvidence(text, { trustedHashes: hashes });
    expect(found.level).toBe('anchored');
    const page = buildEvidencePage(found);
    expect(page).toContain('<strong>Included, and anchored.</strong>');
    expect(page).toContain('according to the receipt, no readable signature');
    if (!hasPython) return;
    const options = [...hashes].flatMap(([number, hash]) => ['--trust-hash', `${number}:${hash}`]);
    expect(await askPython([text], ...options)).toMatchObject([{ ok: true, level: 'anchored' }]);
  });
});
