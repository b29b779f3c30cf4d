import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { verifyEvidence } from '../../../src/protocol/evidence/verifyEvidence.ts';

const lease = readFileSync(new URL('../../evidence/files/lease.json', import.meta.url), 'utf8');

test.each([
  ['Maximum call stack size exceeded', 'The file is nested too deeply.'],
  ['too much recursion', 'The file is nested too deeply.'],
  ['Invalid string length', 'This machine cannot check the file: Invalid string length'],
])('a machine that gives up with “%s” is a refusal that says so', async (said, message) => {
  const spy = vi.spyOn(JSON, 'parse').mockImplementationOnce(() => ({}));
  const spied = vi.spyOn(Object, 'keys').mockImplementationOnce(() => {
    throw new RangeError(said);
  });
  try {
    expect(await verifyEvidence(lease)).toEqual({ ok: false, reason: 'bad_format', path: '', message });
  } finally {
    spy.mockRestore();
    spied.mockRestore();
  }
});

test('an error of the caller’s pause ends the check and is thrown', async () => {
  const end = new Error('enough');
  const pause = () => Promise.reject(end);
  await expect(verifyEvidence(lease, { pause })).rejects.toBe(end);
});
