import { expect, test } from 'vitest';
import { askPython, hasPython } from '../../evidence/askPython.ts';
import { findEvidence } from '../../evidence/findEvidence.ts';
import { wrapDeployment } from '../../evidence/handMade/wrapDeployment.ts';
import { listHashes } from '../../evidence/listHashes.ts';

test('of a deployment through another contract, the values and the rules are the file’s own word: the owner may have signed two permits', async () => {
  const files = [await wrapDeployment('5', 0n), await wrapDeployment('500', 1n)];
  const [one = '', other = ''] = files;
  expect(listHashes(other)).toEqual(listHashes(one));
  for (const text of files) {
    const found = await findEvidence(text, { trustedHashes: listHashes(text) });
    expect(found).toMatchObject({ level: 'anchored', acts: [{ by: 'permit' }, {}, {}, {}] });
    expect(found.trusted.join(' ')).toContain(
      'nothing shows which of the owner’s permits created this agreement',
    );
  }
  if (hasPython) expect(await askPython(files)).toMatchObject(Array(2).fill({ ok: true }));
});
