import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgreementsClient } from '../../client/src/index.ts';
import { createLocalStacks, type LocalStack, type LocalStacks } from '../e2e/support/localStack.ts';
import { startProgram } from '../e2e/support/program.ts';
import { type PublicChain, startPublicChain } from '../support/publicChain.ts';
import { waitUntil } from '../support/waitUntil.ts';

const chainId = 59141;
let publicChain: PublicChain;
let stacks: LocalStacks;
let local: LocalStack;
let fork: string[];
beforeAll(async () => {
  publicChain = await startPublicChain(chainId);
  fork = ['--fork', `${chainId}=${publicChain.rpcUrl}`];
  stacks = await createLocalStacks({ START_BLOCK_59141: '0' });
  local = await stacks.start(fork);
});
afterAll(async () => {
  await stacks.dispose();
  await publicChain.stop();
});

describe('npm run dev -- --fork', () => {
  test('plays the demo on the contracts of the forked chain, which stays as it was', async () => {
    const head = await publicChain.client.getBlockNumber();
    const demo = startProgram('demo', { env: stacks.env });
    expect({ ...(await demo.exited), lines: demo.lines }).toMatchObject({ code: 0 });
    expect(await publicChain.client.getBlockNumber()).toBe(head);
  });

  test('an agreement from before the fork can be imported, with its history', async () => {
    const client = new AgreementsClient(local.stack);
    const { address, agreement } = publicChain.earlier;
    const body = { chainId, address, agreement, displayName: 'From before' };
    const record = await client.agreements.import(body);
    expect(record).toMatchObject({ address, status: 'Deployed' });
    expect(await client.agreements.getState(record.id)).toMatchObject({ state: 'PONG' });
  });

  test('continues where it stopped, at the same block of the forked chain', async () => {
    const listIds = async () => {
      const { data } = await new AgreementsClient(local.stack).agreements.list({ limit: 100 });
      return data.map(({ id }) => id).join();
    };
    const before = await listIds();
    local.program.signal('SIGINT');
    expect(await local.program.exited).toEqual({ code: 0, signal: null });
    await publicChain.client.mine({ blocks: 5 });
    local = await stacks.start(fork);
    await waitUntil('the records are there', async () => (await listIds()) === before);
    const demo = startProgram('demo', { env: stacks.env });
    expect({ ...(await demo.exited), lines: demo.lines }).toMatchObject({ code: 0 });
  });
});

describe('a fork that cannot be is refused before anything starts', () => {
  const refusal = async (words: string[], env: Record<string, string>) => {
    const program = startProgram('dev', { env, words });
    expect(await program.exited).toEqual({ code: 1, signal: null });
    return program.lines.join('\n');
  };

  test('of a chain that the node does not serve', async () => {
    const other = await createLocalStacks();
    const said = await refusal(['--fork', `84532=${publicChain.rpcUrl}`], other.env);
    expect(said).toContain('that node serves the chain 59141');
    await other.dispose();
  });

  test('of a node that does not answer', async () => {
    const other = await createLocalStacks();
    const said = await refusal(['--fork', '59141=http://127.0.0.1:1'], other.env);
    expect(said).toContain('the node at 127.0.0.1:1 does not answer');
    await other.dispose();
  });

  test('in a directory whose chains are forks, where nothing is to be forked or the fork is of another chain', async () => {
    local.program.signal('SIGINT');
    await local.program.exited;
    const { FORK_URL_59141: _, ...env } = stacks.env;
    expect(await refusal([], env)).toMatch(/forks of (\d+ and )*59141/);
    const other = await startPublicChain(chainId);
    try {
      const said = await refusal(['--fork', `${chainId}=${other.rpcUrl}`], stacks.env);
      expect(said).toContain('is not the one that is continued here');
    } finally {
      await other.stop();
    }
  });
});
