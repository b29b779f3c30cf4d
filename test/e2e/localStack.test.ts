import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { waitUntil } from '../support/waitUntil.ts';
import { killAmidInput } from './support/killInTheMiddle.ts';
import { createLocalStacks, type LocalStack, type LocalStacks, listRunning } from './support/localStack.ts';
import { startProgram } from './support/program.ts';

let stacks: LocalStacks;
let local: LocalStack;
beforeAll(async () => {
  stacks = await createLocalStacks();
  local = await stacks.start();
});
afterAll(() => stacks.dispose());

const call = (path: string, init: RequestInit = {}) => {
  const headers = { 'x-api-key': local.stack.apiKey, ...init.headers };
  return fetch(`${local.stack.baseUrl}/v0${path}`, { ...init, headers });
};

const errorShape = z.object({ error: z.looseObject({}) });
const readyShape = z.object({
  chains: z.array(
    z.object({
      chainId: z.int(),
      index: z.looseObject({}),
      wallets: z.array(z.object({ status: z.literal('active') })),
    }),
  ),
});
const listShape = z.object({ data: z.array(z.looseObject({ id: z.string() })) });
const listAgreements = async () => listShape.parse(await (await call('/agreements?limit=100')).json()).data;

describe('npm run dev', () => {
  test('the line that it prints works when it is pasted into a shell', async () => {
    const line = local.program.lines.find((candidate) => candidate.trim().startsWith('curl ')) ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', line]);
    expect(JSON.parse(stdout)).toMatchObject({ data: [], pageInfo: { nextCursor: null } });
  });

  test('a second one in the same directory is refused with the process that has it', async () => {
    const second = startProgram('dev', { env: stacks.env });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.lines.join('\n')).toContain(`process ${local.program.pid}`);
    expect((await call('/health')).status).toBe(200);
  });

  test('a port that was asked for and is taken is named', async () => {
    const other = await createLocalStacks();
    const PORT = new URL(local.stack.baseUrl).port;
    const program = startProgram('dev', { env: { ...other.env, PORT } });
    expect(await program.exited).toEqual({ code: 1, signal: null });
    expect(program.lines.join('\n')).toContain(`PORT=${PORT} is taken`);
    await other.dispose();
  });

  test('API and worker say that they are ready, with every chain and its wallets', async () => {
    const { api, worker } = local.stack.internalUrls;
    for (const url of [api, worker]) {
      const response = await waitUntil('it is ready', async () => {
        const answer = await fetch(`${url}/ready`);
        return answer.status === 200 && answer;
      });
      const { chains } = readyShape.parse(await response.json());
      expect(chains.map(({ chainId }) => chainId)).toEqual(local.stack.chains.map(({ chainId }) => chainId));
      for (const { wallets } of chains) expect(wallets).not.toHaveLength(0);
      expect(await (await fetch(`${url}/metrics`)).text()).toContain('agreements_ready 1');
    }
  });

  test('the raised rate limit is printed', () => {
    const { reads, writes } = local.stack.rateLimits;
    expect(local.program.lines.join('\n')).toContain(
      `may read ${reads} times a second here and write ${writes}`,
    );
  });

  test('only the worker has the relayer keys', () => {
    const processes = local.processes();
    const hasKeys = (name: string) =>
      readFileSync(`/proc/${processes[name]?.pid}/environ`, 'utf8').includes('RELAYER_PRIVATE_KEYS');
    expect(['the worker', 'the api', 'the indexer'].map(hasKeys)).toEqual([true, false, false]);
  });

  test("only the owner can read the stack's description", async () => {
    const { stdout } = await promisify(execFile)('stat', ['-c', '%a', stacks.directory.stackFile]);
    expect(stdout.trim()).toBe('600');
  });
});

describe('npm run demo', () => {
  test('plays on every chain, and service and contracts agree', async () => {
    const demo = startProgram('demo', { env: stacks.env });
    const { code } = await demo.exited;
    expect({ code, output: demo.lines }).toEqual({
      code: 0,
      output: expect.arrayContaining(['Service and contracts tell the same story of every agreement.']),
    });
  });
});

describe('a request that makes no sense', () => {
  test.each([
    ['without a key', '/agreements', { headers: { 'x-api-key': '' } }, 401, 'unauthorized'],
    [
      'with a key that was never issued',
      '/agreements',
      { headers: { 'x-api-key': 'agk_test_1' } },
      401,
      'unauthorized',
    ],
    ['for an agreement that does not exist', '/agreements/agr_0', {}, 404, 'not_found'],
    ['with a limit that is out of range', '/agreements?limit=0', {}, 400, 'bad_request'],
    ['with a parameter that does not exist', '/agreements?colour=red', {}, 400, 'bad_request'],
    [
      'with a body that is no JSON',
      '/agreements/validate',
      { method: 'POST', body: '{"agreement":' },
      400,
      'bad_request',
    ],
    [
      'for a chain that is not followed',
      '/agreements/validate',
      { method: 'POST', body: '{"agreement":{},"chainId":1}' },
      400,
      'bad_request',
    ],
  ])('%s is refused with its code', async (_, path, init, status, code) => {
    const headers = { 'content-type': 'application/json', ...('headers' in init ? init.headers : {}) };
    const response = await call(path, { ...init, headers });
    expect(response.status).toBe(status);
    const { error } = errorShape.parse(await response.json());
    expect(error).toMatchObject({ code, requestId: response.headers.get('x-request-id') });
  });
});

// `test/long/crashes.test.ts` kills the other processes, and starts again after a crash of the whole stack.
describe('a process that is killed', () => {
  test('is started again: an input during which the api is killed happens exactly once and is served', () =>
    killAmidInput(local, 'the api'));
});

describe('an interrupt', () => {
  test('stops everything, and the next start serves the same agreements to the same key, and plays once more', async () => {
    const before = await listAgreements();
    expect(before.length).toBeGreaterThan(0);
    const processes = local.processes();

    local.program.signal('SIGINT');
    expect(await local.program.exited).toEqual({ code: 0, signal: null });
    expect(listRunning(processes)).toEqual([]);

    const { stack } = local;
    local = await stacks.start();
    expect(local.stack.apiKey).toBe(stack.apiKey);
    expect(await listAgreements()).toEqual(before);
    const demo = startProgram('demo', { env: stacks.env });
    expect(await demo.exited).toMatchObject({ code: 0 });
  });
});

describe('a crash of the whole stack', () => {
  test('leaves no process behind', async () => {
    const processes = local.processes();
    local.program.signal('SIGKILL');
    await local.program.exited;
    await waitUntil('everything has ended', () => listRunning(processes).length === 0);
  });
});
