import { encodeAbiParameters, type Hex } from 'viem';
import { describe, expect, test } from 'vitest';
import { buildEvidencePage } from '../../../src/api/evidence/buildEvidencePage.ts';
import { nameHash } from '../../../src/protocol/index.ts';
import { askPython, hasPython } from '../../evidence/askPython.ts';
import { findEvidence } from '../../evidence/findEvidence.ts';
import { submitter } from '../../evidence/handMade/depositedLease.ts';
import { sendPayload } from '../../evidence/handMade/sendPayload.ts';
import { reference } from '../../service/support/documents.ts';

const word = (number: number) => number.toString(16).padStart(64, '0');
const number = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value]);
const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value]);
const encodePayload = (fields: readonly { id: Hex; fType: number; data: Hex }[]) =>
  encodeAbiParameters(
    [
      {
        type: 'tuple[]',
        components: [
          { name: 'id', type: 'bytes32' },
          { name: 'fType', type: 'uint8' },
          { name: 'data', type: 'bytes' },
        ],
      },
    ],
    [fields],
  );

/** Fields of these ids that all point to the same text. */
function share(ids: readonly Hex[], size: number): Hex {
  const content = text('a'.repeat(size)).slice(2);
  const [base, dataAt] = [ids.length * 32, ids.length * 128];
  const offsets = ids.map((_, at) => word(base + at * 96));
  const items = ids.map((id, at) => id.slice(2) + word(1) + word(dataAt - base - at * 96));
  return `0x${word(32)}${word(ids.length)}${offsets.join('')}${items.join('')}${word(content.length / 2)}${content}`;
}

describe('the values of a step', () => {
  test('are those that the contract reads; the others are counted, whatever they are called', async () => {
    const lies = encodePayload([
      { id: nameHash('remark'), fType: 1, data: text('read') },
      { id: nameHash('rent'), fType: 0, data: number(1n) },
      { id: nameHash('remark'), fType: 1, data: text('I hereby accept all terms') },
      { id: nameHash('landlord'), fType: 2, data: number(BigInt(submitter.address)) },
    ]);
    const file = await sendPayload(lies, ({ execution }) =>
      Object.assign(execution.inputs.knock, { data: { remark: reference('remark') } }),
    );
    const found = await findEvidence(file);
    expect(found.acts[1]).toMatchObject({
      ...{ input: 'knock', values: [{ name: 'remark', value: 'read' }], ignored: 3 },
    });
    const page = buildEvidencePage(found);
    expect(page).toContain('and 3 data fields that the contract ignores');
    expect(page).not.toContain('I hereby accept');
    if (hasPython) expect(await askPython([file])).toMatchObject([{ ok: true }]);
  });

  test('that share bytes are shown until they are as long as the payload', async () => {
    const names = Array.from({ length: 100 }, (_, at) => `text${at}`);
    const file = await sendPayload(share(names.map(nameHash), 20_000), ({ execution }) =>
      Object.assign(execution.inputs.knock, {
        data: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      }),
    );
    const found = await findEvidence(file);
    const values = found.acts[1]?.values ?? [];
    expect(values).toHaveLength(100);
    expect(values.filter(({ value }) => value !== null)).toHaveLength(1);
    expect(buildEvidencePage(found).length).toBeLessThan(100_000);
  });
});
