import { encodeFunctionData, type Hex, slice } from 'viem';
import { expect, test } from 'vitest';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { FieldType, findChain } from '../../../src/protocol/index.ts';
import { askPython, hasPython } from '../../evidence/askPython.ts';
import { findEvidence } from '../../evidence/findEvidence.ts';
import { wrapDeployment } from '../../evidence/handMade/wrapDeployment.ts';
import { listHashes } from '../../evidence/listHashes.ts';
import { appendShared } from '../../service/support/directDeployment.ts';

const factory = findChain(84532)?.factory ?? '0x';

/** A call of the factory whose many variables have one and the same place for their data. */
function unfoldCall(): Hex {
  const hash: Hex = `0x${'11'.repeat(32)}`;
  const data = encodeFunctionData({
    abi: agreementFactoryAbi,
    functionName: 'createAgreement',
    args: ['', hash, hash, [], [], [], [], []],
  });
  const variable = { id: hash, fType: FieldType.STRING, data: `0x${'ab'.repeat(1_000)}` } as const;
  return appendShared(data, 5, Array(100).fill(variable));
}

test.each<[string, { to: Hex; data: Hex } | undefined]>([
  ['through another contract', undefined],
  ['whose call data decode to much more', { to: factory, data: unfoldCall() }],
  ['whose call data do not decode', { to: factory, data: slice(unfoldCall(), 0, 100) }],
])(
  'of a deployment %s, the values and the rules are the file’s own word: the owner may have signed two permits',
  async (_, call) => {
    const files = [await wrapDeployment('5', 0n, call), await wrapDeployment('500', 1n, call)];
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
  },
);
