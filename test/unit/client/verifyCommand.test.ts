import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { run } from '../../../client/src/cli/run.ts';
import { createTerminal } from './support/runInProcess.ts';

const lease = fileURLToPath(new URL('../../evidence/files/lease.json', import.meta.url));

/** The exit code of `agreements verify` and everything printed. */
async function verify(file: string, ...options: string[]) {
  const { terminal, printed } = createTerminal();
  const code = await run(['verify', file, ...options], terminal);
  const text = printed.join('\n');
  const [established = '', trusted = ''] = text.split('What is trusted');
  return { code, text, established, trusted };
}

describe('agreements verify', () => {
  test('counts what the storage shows as trusted, until --trust-layout names the same layout', async () => {
    const claim = 'no permit of theirs was left out';
    const untold = await verify(lease);
    expect(untold).toMatchObject({ code: 0, trusted: expect.stringContaining(claim) });
    expect(untold.established).not.toContain(claim);
    const told = await verify(lease, '--trust-layout', '4,5,0x6,7');
    expect(told).toMatchObject({ code: 0, established: expect.stringContaining(claim) });
    expect(told.trusted).not.toContain(claim);
    expect(await verify(lease, '--trust-layout', '4,5,6,8')).toMatchObject({
      ...{ code: 1, text: expect.stringContaining('state_proof_invalid') },
    });
  });

  test.each(['4,5,6', '4,5,6,x', '4,5,6,', `1,2,3,${'9'.repeat(78)}`])(
    'does not take %s for a layout',
    async (slots) => {
      const { code, text } = await verify(lease, '--trust-layout', slots);
      expect({ code, text }).toMatchObject({ code: 2, text: expect.stringContaining('four slots') });
    },
  );
});
