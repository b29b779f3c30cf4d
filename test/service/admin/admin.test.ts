import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAdmin } from '../../../src/cli/admin/runAdmin.ts';
import { findProgram } from '../../../src/cli/build/builtPrograms.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

type Result = { code: number; output: string; complaint: string };

async function admin(...words: string[]): Promise<Result> {
  return adminIn({ DATABASE_URL: testDatabase.url }, ...words);
}

async function adminIn(env: NodeJS.ProcessEnv, ...words: string[]): Promise<Result> {
  const printed = { output: '', complaint: '' };
  const code = await runAdmin({
    words,
    env,
    print: (text) => {
      printed.output += text;
    },
    printError: (text) => {
      printed.complaint += text;
    },
  });
  return { code, ...printed };
}

async function asJson(...words: string[]) {
  const { code, output, complaint } = await admin(...words, '--json');
  expect({ code, complaint }).toEqual({ code: 0, complaint: '' });
  return JSON.parse(output);
}

const keyPattern = /^agk_test_[0-9a-f]{64}$/;

describe('principals', () => {
  test('are created once under a name and listed', async () => {
    const created = await asJson('principals', 'create', 'first');
    expect(created).toMatchObject({ id: expect.stringMatching(/^prn_/), name: 'first' });
    expect(await asJson('principals', 'list')).toContainEqual(created);
    const again = await admin('principals', 'create', 'first');
    expect(again).toEqual({ code: 1, output: '', complaint: 'A principal named first already exists.' });
  });
});

describe('entitlements', () => {
  test('are set by name or id, the last one counts, and are listed', async () => {
    const { id } = await asJson('principals', 'create', 'entitled');
    await asJson('entitlements', 'set', 'entitled', 'agreements.*', 'paid_required');
    await asJson('entitlements', 'set', id, 'agreements.*', 'free_allowlist');
    expect(await asJson('entitlements', 'list', '--principal', 'entitled')).toMatchObject([
      { principalId: id, scope: 'agreements.*', mode: 'free_allowlist' },
    ]);
  });

  test.each([
    ['a scope that does not exist', ['entitled', 'agreements.delete', 'blocked'], 'Allowed choices are'],
    ['a mode that does not exist', ['entitled', '*', 'free'], 'Allowed choices are'],
    [
      'a principal that does not exist',
      ['nobody', '*', 'blocked'],
      'No principal has the id or name nobody.',
    ],
  ])('%s is refused with the reason', async (_, words, reason) => {
    const { code, output, complaint } = await admin('entitlements', 'set', ...words);
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(complaint).toContain(reason);
  });
});

describe('keys', () => {
  test('are shown at their making, and never again', async () => {
    await asJson('principals', 'create', 'holder');
    const created = await asJson('keys', 'create', 'holder', '--label', 'backend');
    expect(created).toMatchObject({
      key: expect.stringMatching(keyPattern),
      label: 'backend',
      status: 'active',
    });
    const listed = await admin('keys', 'list', '--principal', 'holder', '--json');
    expect(listed.output).toContain(created.id);
    expect(listed.output).not.toContain(created.key);
  });

  test('belong to the environment', async () => {
    await asJson('principals', 'create', 'live');
    const env = { DATABASE_URL: testDatabase.url, ENVIRONMENT: 'production' };
    const { output } = await adminIn(env, 'keys', 'create', 'live', '--json');
    expect(JSON.parse(output).key).toMatch(/^agk_live_/);
  });

  test('are disabled, rotated and revoked by id', async () => {
    await asJson('principals', 'create', 'rotating');
    const first = await asJson('keys', 'create', 'rotating', '--label', 'ci');
    expect(await asJson('keys', 'disable', first.id)).toMatchObject({ id: first.id, status: 'disabled' });
    const second = await asJson('keys', 'rotate', first.id);
    expect(second).toMatchObject({ key: expect.stringMatching(keyPattern), label: 'ci', status: 'active' });
    expect(await asJson('keys', 'revoke', second.id)).toMatchObject({ status: 'revoked' });
    const statuses = await asJson('keys', 'list', '--principal', 'rotating');
    expect(statuses.map(({ status }: { status: string }) => status)).toEqual(['revoked', 'revoked']);
  });

  test('are enabled after they were disabled, but never after they were revoked', async () => {
    await asJson('principals', 'create', 'suspended');
    const { id } = await asJson('keys', 'create', 'suspended');
    await asJson('keys', 'disable', id);
    expect(await asJson('keys', 'enable', id)).toMatchObject({ id, status: 'active', endedAt: null });
    expect(await admin('keys', 'enable', id)).toMatchObject({
      code: 0,
      output: `Enabled ${id} of suspended.`,
    });
    await asJson('keys', 'revoke', id);
    const { code, output, complaint } = await admin('keys', 'enable', id);
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(complaint).toContain('is revoked');
    expect(await asJson('keys', 'list', '--principal', 'suspended')).toMatchObject([
      { id, status: 'revoked' },
    ]);
  });

  test('a key that does not exist is refused with the reason, as JSON if requested', async () => {
    const { code, output, complaint } = await admin('keys', 'revoke', 'key_none', '--json');
    expect({ code, complaint }).toEqual({ code: 1, complaint: '' });
    expect(JSON.parse(output)).toEqual({ error: { message: expect.stringContaining('key_none') } });
  });
});

describe('the command line', () => {
  test('tables are for people', async () => {
    await asJson('principals', 'create', 'in a table');
    const { output } = await admin('principals', 'list');
    const [header, ...rows] = output.split('\n');
    expect(header).toMatch(/^id +name +createdAt$/);
    expect(rows.some((row) => /^prn_\w+ {2}in a table/.test(row))).toBe(true);
  });

  test('without a database to work on it says what to set', async () => {
    const nowhere = { LOCAL_DIR: '/nonexistent' };
    expect(await adminIn(nowhere, 'principals', 'list')).toEqual({
      code: 1,
      output: '',
      complaint: 'Set DATABASE_URL, or start a development stack with npm run dev.',
    });
  });

  test('a database that does not answer is a message and not a stack', async () => {
    const { code, complaint } = await adminIn(
      { DATABASE_URL: 'postgres://x@127.0.0.1:1/x' },
      'principals',
      'list',
    );
    expect(code).toBe(1);
    expect(complaint).toMatch(/^The database did not do what was asked: .*ECONNREFUSED/);
  });

  test('help shows examples and ends well', async () => {
    const { code, output } = await admin('--help');
    expect(code).toBe(0);
    expect(output).toContain('npm run -s admin -- keys create');
  });

  test('an incomplete command says what is missing', async () => {
    const { code, complaint } = await admin('keys', 'create');
    expect(code).toBe(1);
    expect(complaint).toContain("missing required argument 'principal'");
  });
});

test('a reader that stops early causes no error', async () => {
  const child = spawn(process.execPath, [findProgram('admin'), '--help'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect({ complaint, code }).toEqual({ complaint: '', code: 0 });
});
