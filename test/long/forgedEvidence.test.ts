import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { hasPython } from '../evidence/askPython.ts';
import { listDifferences } from '../evidence/compareVerifiers.ts';
import { readObject, write } from '../evidence/editJson.ts';
import { forgeChain } from '../evidence/forgeChain.ts';
import { alterFields, malleate } from '../evidence/forgeFiles.ts';
import { forgeSenders } from '../evidence/forgeSenders.ts';
import { forgeText } from '../evidence/forgeText.ts';
import { forgeWhole } from '../evidence/forgeWhole.ts';
import { buildDepositedLease } from '../evidence/handMade/depositedLease.ts';

const directory = fileURLToPath(new URL('../evidence/files/', import.meta.url));
const read = (name: string) => readFile(join(directory, name), 'utf8');
const isAll = process.env.EVIDENCE_ALL !== undefined;

/** Both verifiers read hundreds of files; with `EVIDENCE_ALL` thousands, which may take any time. */
test.skipIf(!hasPython)(
  'the verifier in Python refuses forged files for the same reasons (skipped where python3 is not installed)',
  { timeout: isAll ? 3_600_000 : 180_000 },
  async () => {
    const [lease, direct, forwarded] = await Promise.all(
      ['lease.json', 'directLease.json', 'forwardedLease.json'].map(read),
    );
    if (!lease || !direct || !forwarded) throw new Error('a file is missing');
    const malleated = readObject(forwarded);
    const { permit } = malleated.deployment as { permit: Parameters<typeof malleate>[0] };
    malleate(permit);
    const names = await readdir(directory);
    const others = await Promise.all(names.filter((name) => name !== 'lease.json').map(read));
    const cases = [
      ...forgeWhole(lease, direct),
      ...(await forgeChain()),
      ...(await forgeSenders()),
      ...forgeText(await buildDepositedLease()),
      { name: 'malleated', text: write(malleated) },
      ...alterFields(lease, { eachKind: !isAll }),
      ...(isAll ? others.flatMap((text) => alterFields(text)) : []),
    ];
    expect(await listDifferences(cases)).toEqual([]);
  },
);
