import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { submitInput } from '../../client/src/viem/index.ts';
import { verifyWebhook, type WebhookEvent } from '../../client/src/webhooks/verifyWebhook.ts';
import { listenLocally } from '../support/listenLocally.ts';
import { sealKeystore } from '../support/sealKeystore.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { deployPingPong } from './support/agreements.ts';
import { bundleProgram, type Ended, runCli, startCli } from './support/runCli.ts';
import { createAccount, createClient, stack } from './support/stack.ts';
import { startWatchingProxy } from './support/watchingProxy.ts';

const mural = fileURLToPath(new URL('../../examples/agreements/mural-commission.json', import.meta.url));
const [patronKey, artistKey] = [generatePrivateKey(), generatePrivateKey()];
const [patron, artist] = [patronKey, artistKey].map(privateKeyToAddress);

let program: string;
let home: string;
let env: Record<string, string>;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'agreements-cli-'));
  program = await bundleProgram(join(home, 'cli.mjs'));
  env = { HOME: home, AGREEMENTS_URL: stack.baseUrl, AGREEMENTS_API_KEY: stack.apiKey };
});
afterAll(() => rm(home, { recursive: true }));

const run = (words: readonly string[], more: Record<string, string> = {}) =>
  runCli(program, words, { env: { ...env, ...more } });
const json = async (words: readonly string[], more: Record<string, string> = {}) => {
  const { stdout, code, stderr } = await run([...words, '--json'], more);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
};

test('an agreement is deployed, moved and looked at from the terminal', async () => {
  const keystore = join(home, 'patron.json');
  await writeFile(keystore, sealKeystore(patronKey, 'secret'));
  const parties = ['--participant', `patron=${patron}`, '--participant', `artist=${artist}`];
  const values = ['--value', 'wall=East wall', '--value', 'wallSquareMetres=84'];
  const deploy = ['deploy', mural, '--chain', '59141', ...parties, ...values, '--keystore', keystore];
  const record = await json(deploy, { AGREEMENTS_KEYSTORE_PASSWORD: 'secret' });
  expect(record).toMatchObject({ status: 'Deployed', owner: patron, displayName: 'Mural commission' });
  const { id } = record;

  const { stdout: choices } = await run(['act', id]);
  expect(choices).toMatch(/acceptCommission\s+0x\w+\s+artistSignature: signature/);
  const act = ['act', id, 'acceptCommission', '--value', 'artistSignature=M. Tamm'];
  expect(await run(act, { AGREEMENTS_PRIVATE_KEY: patronKey })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('issuer_not_allowed'),
  });
  expect(await json(act, { AGREEMENTS_PRIVATE_KEY: artistKey })).toMatchObject({ toState: 'SKETCHING' });

  const { stdout: shown } = await run(['show', id]);
  expect(shown).toMatch(/state +SKETCHING/);
  expect(shown).toMatch(/acceptCommission +MINED +OFFERED → SKETCHING/);
  expect((await run(['document', id])).stdout).toContain('# Mural commission');
  expect((await run(['diagram', id])).stdout).toMatch(/^stateDiagram-v2\n[\s\S]*class s1 current/);
  expect((await run(['diagram', id, '--svg'])).stdout).toMatch(
    /^<svg [\s\S]*class="current"><title>SKETCHING</,
  );
  const link = await json(['act', id, '--link', 'artist']);
  expect(link).toMatchObject({ participant: 'artist', url: expect.stringContaining('/console/sign#') });
  const listed: { id: string }[] = await json(['list', '--state', 'SKETCHING', '--chain', '59141']);
  expect(listed.map((one) => one.id)).toContain(id);
  const { stdout: events } = await run(['events', '--json']);
  const told = events
    .trim()
    .split('\n')
    .map((line): { event: WebhookEvent } => JSON.parse(line));
  expect(told.pop()).toEqual({ cursor: expect.any(String) });
  expect(told.filter(({ event }) => Reflect.get(event.data, 'agreementId') === id)).toHaveLength(2);
});

test.each<[string, Record<string, unknown>, string]>([
  ['another version', { version: 1 }, 'is not a keystore of version 3'],
  ['another cipher', { cipher: 'aes-128-cbc' }, 'is not a keystore of version 3'],
  ['the key of another address', { address: '11'.repeat(20) }, 'holds the key of'],
])(
  'nothing is signed with a keystore of %s',
  async (name, { cipher = 'aes-128-ctr', ...change }, complaint) => {
    const sealed = JSON.parse(sealKeystore(artistKey, 'secret'));
    const file = join(home, `${name}.json`);
    await writeFile(file, JSON.stringify({ ...sealed, ...change, crypto: { ...sealed.crypto, cipher } }));
    const act = ['act', 'agr_unknown', 'x', '--keystore', file];
    expect(await run(act, { AGREEMENTS_KEYSTORE_PASSWORD: 'secret' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${file} ${complaint}`),
    });
  },
);

test("a keystore's own address is accepted in every spelling", async () => {
  const sealed = JSON.parse(sealKeystore(artistKey, 'secret'));
  for (const address of [artist, artist?.slice(2).toLowerCase(), '']) {
    const file = join(home, 'addressed.json');
    await writeFile(file, JSON.stringify({ ...sealed, address }));
    const act = ['act', 'agr_unknown', 'x', '--keystore', file];
    expect((await run(act, { AGREEMENTS_KEYSTORE_PASSWORD: 'secret' })).code).toBe(4);
  }
});

test('a keystore with capitals in its names is opened', async () => {
  const { crypto, ...sealed } = JSON.parse(sealKeystore(artistKey, 'secret'));
  const file = join(home, 'capitals.json');
  const { kdfparams, ...rest } = crypto;
  const Crypto = { ...rest, KdfParams: kdfparams };
  await writeFile(file, JSON.stringify({ ...sealed, Address: artist, Crypto }));
  const act = ['act', 'agr_unknown', 'x', '--keystore', file];
  expect((await run(act, { AGREEMENTS_KEYSTORE_PASSWORD: 'secret' })).code).toBe(4);
});

test('an empty AGREEMENTS_KEYSTORE names no keystore', async () => {
  const set = { AGREEMENTS_KEYSTORE: '', AGREEMENTS_PRIVATE_KEY: artistKey };
  expect((await run(['act', 'agr_unknown', 'x'], set)).code).toBe(4);
});

test('a deployment is handed to its owner, who signs it by the link', async () => {
  const parties = ['--participant', `patron=${patron}`, '--participant', `artist=${artist}`];
  const values = ['--value', 'wall=East wall', '--value', 'wallSquareMetres=84'];
  const deploy = ['deploy', mural, '--chain', '59141', ...parties, ...values, '--link'];
  const made = await json([...deploy, patron ?? '']);
  expect(made).toMatchObject({ may: 'sign', url: expect.stringContaining('/console/sign#') });
  const shared = createClient({ apiKey: undefined, link: made.url.split('#')[1] });
  expect(await shared.shared.get()).toMatchObject({ status: 'Draft', displayName: 'Mural commission' });
  expect(await json(['list', '--limit', '100'])).toContainEqual(
    expect.objectContaining({ id: made.agreementId, status: 'Draft' }),
  );
  expect((await run(['show', made.agreementId])).stdout).not.toContain('its document');
  const named = await json([...deploy, patron ?? '', '--name', 'Claim your refund']);
  expect((await run(['show', named.agreementId])).stdout).toMatch(
    /^name +Claim your refund\nname in its document +Mural commission$/m,
  );
  expect((await run(['act', made.agreementId])).stdout).toBe('Nothing can be done before it is deployed.\n');
  expect(await run([...deploy, 'nobody'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('signer'),
  });
});

test.skipIf(!existsSync('/usr/bin/script'))(
  'a key typed at a terminal ends with Enter and is not shown',
  async () => {
    const typed = await mkdtemp(join(home, 'typed-'));
    const words = [process.execPath, program, 'login', stack.baseUrl].map((word) => `'${word}'`).join(' ');
    const child = spawn('/usr/bin/script', ['-qec', words, '/dev/null'], {
      env: { PATH: process.env.PATH, HOME: typed, SHELL: '/bin/sh' },
    });
    let shown = '';
    for await (const part of child.stdout) {
      shown += part;
      if (String(part).includes('it is not shown')) child.stdin.write(`${stack.apiKey}\r`);
    }
    expect(shown).toContain(`Logged in to ${stack.baseUrl}.`);
    expect(shown).not.toContain(stack.apiKey);
    expect((await runCli(program, ['list'], { env: { HOME: typed } })).code).toBe(0);
  },
);

test.skipIf(!existsSync('/usr/bin/script'))(
  'evidence at a terminal has escapes for what a terminal obeys or hides, and elsewhere the bytes of the service',
  async () => {
    const value = {
      format: 'agreement-evidence/1',
      document: { text: 'a \u009b2J\u009b31m SYSTEM \u202e gnp.exe \u{e0041}' },
    };
    const sent = `${JSON.stringify(value)}\n`;
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_1' }).end(sent);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const words = ['evidence', 'agr_1', '--url', `http://127.0.0.1:${port}`];
    expect(await run(words)).toEqual({ code: 0, stdout: sent, stderr: '' });
    const file = join(home, 'unseen.json');
    expect((await run([...words, '--out', file])).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(sent);

    const line = [process.execPath, program, ...words].map((word) => `'${word}'`).join(' ');
    const child = spawn('/usr/bin/script', ['-qec', line, '/dev/null'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, SHELL: '/bin/sh', ...env },
    });
    const shown = await text(child.stdout);
    expect(shown).toMatch(/^[\x20-\x7e]+\r\n$/);
    expect(JSON.parse(shown)).toEqual(value);
  },
);

test('a login is stored for this user only, and only if the service accepts the key', async () => {
  const own = { HOME: home };
  const words = ['login', stack.baseUrl];
  expect(await runCli(program, words, { env: own, input: 'agk_test_wrong\n' })).toMatchObject({ code: 3 });
  expect(await runCli(program, ['list'], { env: own })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('login'),
  });
  expect(await runCli(program, words, { env: own, input: `${stack.apiKey}\n` })).toMatchObject({ code: 0 });
  const file = join(home, '.config/agreements/config.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ baseUrl: stack.baseUrl, apiKey: stack.apiKey });
  expect(await runCli(program, ['list'], { env: own })).toMatchObject({ code: 0 });
  expect(await runCli(program, ['list', '--url', `${stack.baseUrl}/`], { env: own })).toMatchObject({
    code: 0,
  });
  // The key of this service is not sent to another one.
  expect(await runCli(program, ['list', '--url', 'http://127.0.0.1:3'], { env: own })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('No API key is known for http://127.0.0.1:3'),
  });
  expect(await runCli(program, ['logout'], { env: own })).toMatchObject({ code: 0 });
  expect(await runCli(program, ['list'], { env: own })).toMatchObject({ code: 3 });
});

describe('what went wrong is said in a sentence, and by the exit code:', () => {
  test.each<[string, string[], Partial<Ended>, Record<string, string>?]>([
    ['an unknown command', ['lst'], { code: 2, stderr: expect.stringContaining('Did you mean list?') }],
    ['a missing option', ['deploy', mural], { code: 2, stderr: expect.stringContaining('--chain') }],
    [
      'a chain without a known factory',
      ['deploy', mural, '--chain', '5'],
      { code: 2, stderr: expect.stringContaining('--chain takes 8453, 59141, 59144, 84532, 11155111') },
    ],
    [
      'a file that is not there',
      ['validate', '/nowhere.json'],
      { code: 2, stderr: expect.stringContaining('/nowhere.json') },
    ],
    [
      'no key to sign with',
      ['act', 'agr_1', 'x'],
      { code: 2, stderr: expect.stringContaining('AGREEMENTS_PRIVATE_KEY') },
    ],
    [
      'a wrong API key',
      ['list', '--api-key', 'agk_test_wrong'],
      { code: 3, stderr: expect.stringContaining('agreements login') },
    ],
    [
      'an unknown agreement',
      ['show', 'agr_unknown'],
      { code: 4, stderr: expect.stringMatching(/request req_/) },
    ],
    [
      'a login at a service that is away',
      ['login', 'http://127.0.0.1:3', '--api-key', 'agk_test_wrong'],
      { code: 5, stderr: expect.stringMatching(/asked at http:\/\/127\.0\.0\.1:3\n.*ECONNREFUSED/) },
    ],
    [
      'a service that is away',
      ['list', '--url', 'http://127.0.0.1:3'],
      { code: 5, stderr: expect.stringMatching(/asked at http:\/\/127\.0\.0\.1:3\n.*ECONNREFUSED/) },
    ],
    [
      'a service that is away, at a path with an @',
      ['list', '--url', 'http://127.0.0.1:3/@team'],
      { code: 5, stderr: expect.stringContaining('asked at http://127.0.0.1:3/@team\n') },
    ],
    [
      'a service that is away, before its events are followed',
      ['events', '--follow', '--url', 'http://127.0.0.1:3'],
      { code: 5, stderr: expect.stringContaining('ECONNREFUSED') },
    ],
    [
      'an address without http',
      ['list', '--url', '127.0.0.1:3'],
      { code: 2, stderr: expect.stringContaining('http://') },
    ],
    [
      'an address that is no URL',
      ['list', '--url', 'http://[::1'],
      { code: 2, stderr: expect.stringContaining('http://[::1') },
    ],
    ...(
      [
        ['an address with a password', 'http://user:secret@127.0.0.1:3', {}],
        [
          'an address with a password, and no key',
          'http://user:secret@127.0.0.1:3',
          { AGREEMENTS_API_KEY: '' },
        ],
        ['an address with a password and another scheme', 'ftp://user:secret@127.0.0.1:3', {}],
      ] as const
    ).map(([name, url, more]): [string, string[], Partial<Ended>, Record<string, string>] => [
      `${name}, which is not shown`,
      ['list', '--url', url],
      { code: expect.toBeOneOf([2, 3]), stderr: expect.not.stringContaining('secret') },
      more,
    ]),
    [
      '--json as an argument, which asks for no JSON',
      ['list', '--', '--json'],
      { code: 2, stderr: expect.stringContaining('too many arguments') },
    ],
    [
      'an API key that is none',
      ['list', '--api-key', 'agk_test_sec\nret'],
      { code: 3, stderr: expect.not.stringContaining('agk_test_sec') },
    ],
    [
      'a secret that no receiver accepts',
      ['listen', '--forward-to', 'http://127.0.0.1:3/', '--secret', 'abc'],
      { code: 2, stderr: expect.stringContaining('whsec_') },
    ],
    [
      'a receiver with a password, which is not shown',
      ['listen', '--forward-to', 'http://user:secret@127.0.0.1:3/'],
      { code: 2, stderr: expect.stringMatching(/^error: .* without a user, not …@127\.0\.0\.1:3\/\.\n$/) },
    ],
    [
      'a receiver without http',
      ['listen', '--forward-to', '127.0.0.1:3'],
      { code: 2, stderr: expect.stringContaining('http://') },
    ],
    [
      'a cursor of no feed, once and before it listens',
      ['listen', '--after', 'bogus'],
      {
        code: 1,
        stderr: expect.stringMatching(/^error: .* is not a valid cursor of this feed\.\n {2}request \S+\n$/),
      },
    ],
    [
      'a type of event that there is not',
      ['events', '--type', 'nope'],
      { code: 2, stderr: expect.stringContaining('agreement.transitioned') },
    ],
  ])('%s', async (_, words, ended, more = {}) => {
    expect(await run(words, more)).toMatchObject({ stdout: '', ...ended });
  });

  test('a document with faults, each with its place, and as JSON', async () => {
    const input = JSON.stringify({ metadata: { id: 'x' }, execution: { transitions: 1 } });
    const { code, stderr } = await runCli(program, ['validate', '-'], { env, input });
    expect([code, stderr]).toEqual([1, expect.stringContaining('execution.transitions')]);
    const { stdout } = await runCli(program, ['validate', '-', '--json'], { env, input });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'bad_request', reason: 'invalid_agreement' } });
  });
});

test('output that cannot be written is reported as a failure', async () => {
  const full = spawn('sh', ['-c', `exec "${process.execPath}" "${program}" --version > /dev/full`]);
  const [complaint, [code]] = await Promise.all([text(full.stderr), once(full, 'close')]);
  expect([code, complaint]).toEqual([
    2,
    expect.stringMatching(/^error: The output cannot be written: ENOSPC/),
  ]);
});

test('a reader that closes the output early ends the program without an error', async () => {
  const child = startCli(program, ['--help'], env);
  child.stdout?.destroy();
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint += String(chunk);
  });
  const [code] = await once(child, 'close');
  expect([code, complaint]).toEqual([0, '']);
});

test('a reader that closes the output early does not turn a refused file into an accepted one', async () => {
  const file = join(home, 'empty.json');
  await writeFile(file, '{}');
  const child = startCli(program, ['verify', file], env);
  child.stdout?.destroy();
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
});

test('evidence is verified from a pipe like from a file', async () => {
  const file = fileURLToPath(new URL('../evidence/files/lease.json', import.meta.url));
  const piped = 'cat "$2" | "$0" "$1" verify /dev/stdin --json';
  const child = spawn('sh', ['-c', piped, process.execPath, program, file]);
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect(JSON.parse(printed)).toMatchObject({ ok: true, level: 'included' });
  expect(code).toBe(0);
});

test('evidence of which Ctrl-C has cut the rest off is not judged', async () => {
  const pipe = join(home, 'cut');
  execFileSync('mkfifo', [pipe]);
  const child = startCli(program, ['verify', pipe], env);
  if (!child.stdout) throw new Error('the command line has no output');
  const ended = once(child, 'close');
  const printed = text(child.stdout);
  const writer = createWriteStream(pipe).on('error', () => {});
  // More than a pipe holds: once it is written, the program has begun to read.
  await new Promise((resolve) => writer.write(' '.repeat(1_000_000), resolve));
  child.kill('SIGINT');
  // The program takes the signal between two reads.
  await Promise.race([ended, new Promise((resolve) => writer.write(' '.repeat(1_000_000), resolve))]);
  writer.end();
  const [code, signal] = await ended;
  expect(signal ?? code).toBeOneOf([130, 'SIGINT']);
  expect(await printed).toBe('');
});

test.each<[string, (pipe: string) => string[]]>([
  ['evidence', (pipe) => ['verify', pipe]],
  ['a document', (pipe) => ['validate', pipe]],
  ['a keystore', (pipe) => ['act', 'agr_unknown', 'x', '--keystore', pipe]],
  [
    "a keystore's password",
    (pipe) => ['act', 'agr_unknown', 'x', '--keystore', '-', '--password-file', pipe],
  ],
])('Ctrl-C ends a command that reads %s from a pipe that gives nothing', async (_, wordsFor) => {
  const pipe = join(await mkdtemp(join(home, 'silent-')), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const child = startCli(program, wordsFor(pipe), { ...env, AGREEMENTS_KEYSTORE_PASSWORD: 'secret' });
  const ended = once(child, 'close');
  // It opens as soon as the program reads.
  const writer = await open(pipe, 'w');
  onTestFinished(() => writer.close());
  child.kill('SIGINT');
  const [code, signal] = await ended;
  // A shell reports both as 130.
  expect(signal ?? code).toBeOneOf([130, 'SIGINT']);
});

test('Ctrl-C takes no output from a slow reader', async () => {
  const data = Array.from({ length: 100 }, (_, index) => ({
    ...{ id: `evt_${index}`, type: 'agreement.transitioned', createdAt: '2026-01-01T00:00:00.000Z' },
    data: { agreementId: 'agr_1', agreementName: 'x'.repeat(10_000), fromState: 'A', toState: 'B' },
  }));
  let pages = 0;
  const service = await listenLocally(
    createServer(({ url = '' }, response) => {
      const isPage = url.startsWith('/v0/events?');
      const isFirst = isPage && !url.includes('after=first');
      if (isPage && !isFirst) pages++;
      response.writeHead(isPage ? 200 : 404, { 'content-type': 'application/json' });
      const pageInfo = { limit: 100, nextCursor: 'first' };
      response.end(JSON.stringify({ data: isFirst ? data : [], pageInfo, meta: {} }));
    }),
  );
  const child = startCli(program, ['events', '--follow', '--json', '--url', service.url], env);
  if (!child.stdout) throw new Error('the command line has no output');
  const ended = once(child, 'close');
  await waitUntil('all events of the first page are printed', () => pages > 0);
  child.kill('SIGINT');
  // A pipe holds less than the page: until it is read, the program cannot end.
  const early = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1_000))]);
  expect(early).toBe(undefined);
  const printed = await text(child.stdout);
  expect(
    printed
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).event.id),
  ).toEqual(data.map(({ id }) => id));
  expect(await ended).toEqual([0, null]);
  await service.close();
});

test('a document of any size is refused once more than 64 MiB are read', async () => {
  expect(await run(['validate', '/dev/zero'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: /dev/zero is larger than 64 MiB.\n',
  });
});

test('a standard input of any size is refused once more than 64 MiB are read', async () => {
  const words = ['-c', '"$0" "$1" validate - < /dev/zero', process.execPath, program];
  const child = spawn('sh', words, { env: { PATH: process.env.PATH, ...env } });
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect([code, complaint]).toEqual([2, 'error: The standard input is larger than 64 MiB.\n']);
});

test('events are handed to a receiver on this machine, signed, and watched as they happen', async () => {
  const { id: agreementId } = await deployPingPong();
  let secret = '';
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    const event = await verifyWebhook(await buffer(request), request.headers, secret);
    received.push(event.id);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const listening = startCli(program, ['listen', '--forward-to', `http://127.0.0.1:${port}/`, '--json'], env);
  const watching = startCli(program, ['watch', agreementId], env);
  const linesOf = ({ stdout }: typeof listening) => {
    if (!stdout) throw new Error('the command line has no output');
    return createInterface({ input: stdout })[Symbol.asyncIterator]();
  };
  const [heard, seen] = [linesOf(listening), linesOf(watching)];
  secret = JSON.parse(String((await heard.next()).value)).secret;
  expect((await seen.next()).value).toBe('Ping pong is in PING');
  const hit = {
    client: createClient(),
    account: createAccount(),
    agreementId,
    inputId: 'hit',
    values: { note: 'x' },
  };
  await submitInput(hit);
  for await (const line of heard) {
    const { event, answer }: { event: WebhookEvent; answer: string } = JSON.parse(line);
    if (Reflect.get(event.data, 'agreementId') !== agreementId) continue;
    expect([answer, received.includes(event.id)]).toEqual(['204', true]);
    break;
  }
  for await (const line of seen) if (/ MINED hit {2}PING → PONG$/.test(line)) break;
  for (const child of [listening, watching]) {
    child.kill('SIGINT');
    expect((await once(child, 'close'))[0]).toBe(0);
  }
  await new Promise((resolve) => server.close(resolve));
});

test('an agreement is watched across a time in which the service is away', async () => {
  const { id: agreementId } = await deployPingPong();
  const proxy = await startWatchingProxy(stack.baseUrl);
  const watching = startCli(program, ['watch', agreementId], { ...env, AGREEMENTS_URL: proxy.baseUrl });
  const { stdout } = watching;
  if (!stdout) throw new Error('the command line has no output');
  const seen = createInterface({ input: stdout })[Symbol.asyncIterator]();
  expect((await seen.next()).value).toBe('Ping pong is in PING');
  proxy.setAway(true);
  const before = proxy.paths.length;
  // More requests than the retries of one call.
  await waitUntil('it has asked again and again', () => proxy.paths.length > before + 6);
  proxy.setAway(false);
  const values = { note: 'x' };
  await submitInput({
    client: createClient(),
    account: createAccount(),
    agreementId,
    inputId: 'hit',
    values,
  });
  for await (const line of seen) if (/ MINED hit {2}PING → PONG$/.test(line)) break;
  watching.kill('SIGINT');
  expect((await once(watching, 'close'))[0]).toBe(0);
  await proxy.close();
});

test('a change is watched that becomes visible after a later one', async () => {
  const { id: agreementId } = await deployPingPong();
  const hit = { client: createClient(), account: createAccount(), agreementId, inputId: 'hit' };
  const early = await submitInput({ ...hit, values: { note: 'early' } });
  const late = await submitInput({ ...hit, values: { note: 'late' } });
  const proxy = await startWatchingProxy(stack.baseUrl);
  const watching = startCli(program, ['watch', agreementId], { ...env, AGREEMENTS_URL: proxy.baseUrl });
  if (!watching.stdout) throw new Error('the command line has no output');
  const seen = createInterface({ input: watching.stdout })[Symbol.asyncIterator]();
  await seen.next();
  const database = new pg.Client(stack.databaseUrl);
  await database.connect();
  // As a transaction writes it that began before the later change.
  await database.query(
    `update service.inputs set updated_at = now() - interval '5 seconds', status = 'FAILED', position = null
     where id = $1`,
    [early.id],
  );
  expect((await seen.next()).value).toMatch(/ FAILED hit/);
  expect(late.id).not.toBe(early.id);
  watching.kill('SIGINT');
  await Promise.all([once(watching, 'close'), database.end(), proxy.close()]);
});

test('a document is simulated without a service, and the exit code reports a refused step', async () => {
  const values = ['--value', 'wall=East wall', '--value', 'wallSquareMetres=84'];
  const steps = ['--step', 'artist:acceptCommission:{"artistSignature": "M."}', '--step', 'artist:takeOver'];
  const ended = await runCli(program, ['simulate', mural, ...values, ...steps, '--json'], { env: {} });
  expect(ended).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(ended.stdout)).toMatchObject({
    steps: [{ outcome: { ok: true } }, { outcome: { ok: false, reason: 'reverted' } }],
    state: 'SKETCHING',
  });
});

test('listening begins at the end of the feed, without reading what is before it', async () => {
  const { id: agreementId } = await deployPingPong();
  const proxy = await startWatchingProxy(stack.baseUrl);
  const listening = startCli(program, ['listen', '--json', '--url', proxy.baseUrl], env);
  if (!listening.stdout) throw new Error('the command line has no output');
  const heard = createInterface({ input: listening.stdout })[Symbol.asyncIterator]();
  expect(JSON.parse(String((await heard.next()).value))).toEqual({ listening: true });
  const account = createAccount();
  await submitInput({ client: createClient(), account, agreementId, inputId: 'hit', values: { note: 'x' } });
  const own: string[] = [];
  for await (const line of heard) {
    const { event }: { event: WebhookEvent } = JSON.parse(line);
    if (Reflect.get(event.data, 'agreementId') !== agreementId) continue;
    own.push(String(Reflect.get(event.data, 'toState')));
    break;
  }
  expect(own).toEqual(['PONG']);
  expect(proxy.paths.filter((path) => path.startsWith('/v0/events?'))).toEqual([]);
  listening.kill('SIGINT');
  await once(listening, 'close');
  await proxy.close();
});

test('a record is named by address and chain too', async () => {
  const { id, address } = await deployPingPong();
  const named = [address ?? '', '--chain', '59141'];
  expect((await json(['show', ...named])).agreement.id).toBe(id);
  expect(await json(['act', ...named])).toMatchObject({ state: 'PING' });
  const act = ['act', ...named, 'hit', '--value', 'note=x'];
  expect(await json(act, { AGREEMENTS_PRIVATE_KEY: artistKey })).toMatchObject({ toState: 'PONG' });
  expect((await run(['document', ...named])).code).toBe(0);
  expect((await run(['diagram', ...named])).stdout).toContain('PONG');
  expect(await run(['show', address ?? '', '--chain', '84532'])).toMatchObject({ code: 4 });
});

test('COLUMNS bounds the lines of a table, also without a terminal, and a list that goes on says so', async () => {
  await deployPingPong();
  await deployPingPong();
  const { stdout } = await run(['list', '--limit', '1'], { COLUMNS: '40' });
  const [head = '', row = '', rest] = stdout.trimEnd().split('\n');
  expect(head.length).toBeLessThanOrEqual(40);
  expect(row.length).toBeLessThanOrEqual(40);
  expect(rest).toBe('The first 1; there are more: give a higher --limit.');
});
