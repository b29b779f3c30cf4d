import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { askBlockHashes } from '../../../client/src/cli/evidence/askBlockHashes.ts';

const hashOf = (digit: string) => `0x${digit.repeat(64)}` as const;
const calls = z.array(z.object({ id: z.number(), method: z.string() }));

/** `one7` is a node of chain 7, the others of chain 1. */
const chainOf = (host: string) => (host === 'one7' ? '0x7' : '0x1');

/** Nodes named `one…` and `two…`, each with a hash of its own for every block. */
function answerAs(hashes: Readonly<Record<string, string>>) {
  vi.stubGlobal('fetch', async (url: string, { body }: { body: string }) => {
    const { host } = new URL(url);
    const hash = hashes[host.replace(/\d+$/, '')];
    if (hash === undefined) throw new Error('away');
    const answers = calls
      .parse(JSON.parse(body))
      .map(({ id, method }) => ({ id, result: method === 'eth_chainId' ? chainOf(host) : { hash } }));
    return Response.json(answers);
  });
}

afterEach(() => vi.unstubAllGlobals());

const { signal } = new AbortController();
const query = { quorum: 2, chainId: 1, blocks: [{ number: 5, hash: hashOf('1') }], signal };

describe('asking nodes for hashes', () => {
  test('confirms what enough nodes name, and tells who names something else', async () => {
    answerAs({ one: hashOf('1'), two: hashOf('2') });
    const urls = ['http://one1/secret', 'http://one2', 'http://two1/secret'];
    expect(await askBlockHashes({ ...query, urls })).toEqual({
      confirmed: new Map([[5, hashOf('1')]]),
      dissent: [{ node: 'two1', number: 5, hash: hashOf('2') }],
    });
  });

  test('fails if two hashes of a block reach the quorum', async () => {
    answerAs({ one: hashOf('1'), two: hashOf('2') });
    const urls = ['http://one1', 'http://one2', 'http://two1', 'http://two2'];
    await expect(askBlockHashes({ ...query, urls })).rejects.toMatchObject({
      message: expect.stringContaining('contradict each other on block 5'),
      exitCode: 1,
    });
  });

  test.each([
    ['with a slash at its end', 'http://one1/'],
    ['in capital letters', 'HTTP://ONE1'],
    ['with its default port', 'http://one1:80'],
    ['with a fragment', 'http://one1/#again'],
  ])('does not count a node twice that is repeated %s', async (_, again) => {
    answerAs({ one: hashOf('1') });
    await expect(askBlockHashes({ ...query, urls: ['http://one1', again] })).rejects.toMatchObject({
      ...{ message: '--quorum 2 needs at least 2 different nodes in --rpc.', exitCode: 2 },
    });
  });

  test('names the nodes of another chain, without the rest of their URLs', async () => {
    answerAs({ one: hashOf('1') });
    const urls = ['http://one1', 'http://one7/secret'];
    await expect(askBlockHashes({ ...query, urls })).rejects.toMatchObject({
      message: 'Only 1 of 2 nodes answered for chain 1. one7 is a node of chain 7.',
      exitCode: 5,
    });
  });

  test('fails if too few nodes answer, and for anything but URLs', async () => {
    answerAs({ one: hashOf('1') });
    const ask = (...urls: string[]) => askBlockHashes({ ...query, urls });
    await expect(ask('http://one1', 'http://away')).rejects.toMatchObject({ exitCode: 5 });
    await expect(ask('http://one1', 'one2')).rejects.toMatchObject({ exitCode: 2 });
  });
});
