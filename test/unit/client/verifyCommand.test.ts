import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { run } from '../../../client/src/cli/run.ts';
import { listenLocally } from '../../support/listenLocally.ts';
import { createTerminal } from './support/runInProcess.ts';

const lease = fileURLToPath(new URL('../../evidence/files/lease.json', import.meta.url));

const { blocks } = z
  .object({ blocks: z.array(z.object({ number: z.number(), hash: z.string() })) })
  .parse(JSON.parse(readFileSync(lease, 'utf8')));

/** The exit code of `agreements verify` and everything printed. */
async function verify(file: string, ...options: string[]) {
  const { terminal, printed } = createTerminal();
  const code = await run(['verify', file, ...options], terminal);
  const text = printed.join('\n');
  const [established = '', trusted = ''] = text.split('What is trusted');
  return { code, text, established, trusted };
}

describe('agreements verify', () => {
  test('counts what the storage shows as trusted, until its block is confirmed and --trust-layout names the same layout', async () => {
    const hashes = blocks.flatMap(({ number, hash }) => ['--trust-hash', `${number}:${hash}`]);
    const claim = 'no permit of these accounts was left out';
    const untold = await verify(lease);
    expect(untold).toMatchObject({ code: 0, trusted: expect.stringContaining(claim) });
    expect(untold.established).not.toContain(claim);
    const unconfirmed = await verify(lease, '--trust-layout', '4,5,0x6,7');
    expect(unconfirmed).toMatchObject({ code: 0, trusted: expect.stringContaining(claim) });
    expect(unconfirmed.established).not.toContain(claim);
    const told = await verify(lease, '--trust-layout', '4,5,0x6,7', ...hashes);
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

test('agreements verify does not take two hashes of one block', async () => {
  const hashes = ['1', '2'].flatMap((digit) => ['--trust-hash', `5:0x${digit.repeat(64)}`]);
  expect(await verify(lease, ...hashes)).toMatchObject({
    ...{ code: 2, text: expect.stringContaining('two hashes of block 5') },
  });
});

describe('agreements verify --rpc', () => {
  const calls = z.array(z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) }));
  const other = `0x${'e'.repeat(64)}`;

  /** Nodes with the hashes of the file; those named `liar` have another one for its first block. */
  const answerAsChain = () =>
    vi.stubGlobal('fetch', async (url: string, { body }: { body: string }) => {
      const answers = calls.parse(JSON.parse(body)).map(({ id, method, params: [number] }) => {
        if (method === 'eth_chainId') return { id, result: '0xe705' };
        const at = blocks.findIndex((block) => block.number === Number(number));
        const hash = url.includes('liar') && at === 0 ? other : blocks[at]?.hash;
        return { id, result: { hash } };
      });
      return Response.json(answers);
    });
  afterEach(() => vi.unstubAllGlobals());
  const anchored = ['--require', 'anchored'];

  test('anchors a file whose blocks enough nodes confirm, and tells which node disagrees', async () => {
    answerAsChain();
    const { code, text } = await verify(lease, ...anchored, '--rpc', 'http://a,http://b,http://liar/key');
    expect({ code, text }).toMatchObject({ code: 0, text: expect.stringContaining('anchored') });
    expect(text).toContain(`liar reports another hash of block ${blocks[0]?.number}: ${other}`);
    expect(text).not.toContain('/key');
  });

  test('refuses a file that the nodes contradict, whatever hashes came with it', async () => {
    answerAsChain();
    const given = blocks.flatMap(({ number, hash }) => ['--trust-hash', `${number}:${hash}`]);
    expect(await verify(lease, ...anchored, ...given)).toMatchObject({ code: 0 });
    const nodes = ['--rpc', 'http://liar1,http://liar2'];
    expect(await verify(lease, ...anchored, ...given, ...nodes)).toMatchObject({
      ...{ code: 1, text: expect.stringContaining('block_contradicted') },
    });
  });

  test('ends at once when it is stopped, though a node does not answer', async () => {
    const stop = new AbortController();
    let stoppedAt = Number.NaN;
    const silent = await listenLocally(
      createServer(() => {
        stoppedAt = performance.now();
        stop.abort();
      }),
    );
    const { terminal } = createTerminal();
    const words = ['verify', lease, ...anchored, '--quorum', '1', '--rpc', silent.url];
    expect(await run(words, { ...terminal, stopped: stop.signal })).toBe(130);
    // A node has ten seconds for its answer.
    expect(performance.now() - stoppedAt).toBeLessThan(9_000);
    await silent.close();
  });
});
