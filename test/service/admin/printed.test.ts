import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/admin/buildProgram.ts';
import { runAdmin } from '../../../src/cli/admin/runAdmin.ts';
import { insertInputs, insertRecords } from '../support/rows.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createWebhook } from '../support/webhooks.ts';

/** Turns a terminal red, renames its window, clears it, overwrites a line and reverses the text direction. */
const hostile = 'a\u001b[31mb\u001b]0;c\u0007d\u009b2Je\rf\bg\u202eh\u2028i';
const shown = 'a\\u001b[31mb';

let service: TestService;
let principalId: string;
let recordId: string;
let inputId: string;
let webhookId: string;
let keyId: string;
beforeAll(async () => {
  service = await startTestService({ env: { WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8' } });
  const principal = await service.createPrincipal();
  principalId = principal.id;
  webhookId = (await createWebhook(service, {}, principal)).id;
  const { pool } = service.handle;
  recordId = `agr_${randomBytes(16).toString('hex')}`;
  inputId = `inp_${randomBytes(16).toString('hex')}`;
  const record = { id: recordId, address: `0x${randomBytes(20).toString('hex')}` };
  await insertRecords(pool, principal, [{ ...record, display_name: hostile, state: hostile }]);
  await insertInputs(pool, record, [
    { id: inputId, input_id: hostile, from_state: hostile, to_state: hostile },
  ]);
  for (const [text, ...values] of [
    ['update service.principals set name = $1 where id = $2', hostile, principalId],
    ['update service.api_keys set label = $1 where principal_id = $2', hostile, principalId],
    [
      'update service.webhook_subscriptions set url = $1 where id = $2',
      `http://127.0.0.1/${hostile}`,
      webhookId,
    ],
    [
      `insert into service.quarantined_records (record_id, chain_id, phase, failures, error, retry_at)
        values ($2, 59141, 'begin', 1, $1, now())`,
      hostile,
      recordId,
    ],
    [
      `insert into service.events (id, principal_id, record_id, type, body, state)
        values ('evt_x', $2, $3, 'agreement.transitioned', $1, 'released')`,
      JSON.stringify({ data: hostile }),
      principalId,
      recordId,
    ],
    [
      `insert into service.signing_links
          (id, secret_hash, principal_id, record_id, may, participant, note, created_by_api_key_id, expires_at)
        select 'lnk_x', $4, $2, $3, 'sign', $1, $1, id, now() + interval '1 day'
        from service.api_keys where principal_id = $2`,
      hostile,
      principalId,
      recordId,
      `0x${'11'.repeat(32)}`,
    ],
    [
      `insert into service.deliveries (id, subscription_id, event_id, status, error)
        values ('del_x', $2, 'evt_x', 'failed', $1)`,
      hostile,
      webhookId,
    ],
  ] as const)
    await pool.query(text, [...values]);
  const keys = await pool.query('select id from service.api_keys where principal_id = $1', [principalId]);
  keyId = keys.rows[0].id;
});
afterAll(() => service.close());

/**
 * The arguments of each command: existing ones, so that it prints them, and unknown ones, so that its error
 * names them.
 */
const runs: Record<string, () => string[][]> = {
  'principals create': () => [[hostile], [`${hostile}2`]],
  'principals list': () => [[]],
  'entitlements set': () => [
    [principalId, '*', 'free_allowlist'],
    [hostile, hostile, hostile],
  ],
  'entitlements list': () => [[], ['--principal', hostile], ['--principal', 'x\u001b']],
  'keys create': () => [[principalId, '--label', hostile], [`${hostile}0`]],
  'keys list': () => [[]],
  'keys revoke': () => [[hostile], [hostile, '--with-links']],
  'links list': () => [
    ['--key', keyId],
    ['--key', hostile],
  ],
  'links revoke': () => [
    ['--key', hostile],
    ['--key', keyId],
  ],
  'keys disable': () => [[hostile]],
  'keys enable': () => [[hostile]],
  'keys rotate': () => [[hostile]],
  'webhooks list': () => [[]],
  'webhooks deliveries': () => [[webhookId], [hostile], [webhookId, '--status', hostile]],
  'webhooks disable': () => [[hostile], [webhookId]],
  listen: () => [
    ['--principal', `${hostile}0`],
    ['--port', hostile],
  ],
  'quarantine list': () => [[]],
  'quarantine show': () => [[recordId], [hostile]],
  'quarantine release': () => [[recordId], [hostile]],
  'quotas list': () => [[], ['--principal', `${hostile}0`]],
  'quotas set': () => [
    [principalId, 'mailsPerDay', hostile],
    [hostile, hostile, hostile],
  ],
  retention: () => [[], ['--days', hostile]],
  trace: () => [[recordId], [inputId], ['evt_x'], [hostile]],
};

const nobody = {
  withDatabase: async () => {},
  withPool: async () => {},
  awaitStop: async () => {},
  print() {},
};
const leaves = (command: Command): string[] =>
  command.commands.flatMap((sub) =>
    sub.commands.length > 0 ? leaves(sub).map((name) => `${sub.name()} ${name}`) : [sub.name()],
  );

test('every command is looked at here', () => {
  expect(Object.keys(runs).toSorted()).toEqual(leaves(buildProgram(nobody)).toSorted());
});

test.each(Object.keys(runs))(
  '%s prints no control character, whatever it was given and has found',
  async (name) => {
    for (const words of runs[name]?.() ?? []) {
      for (const format of [[], ['--json']]) {
        let printed = '';
        const print = (text: string) => {
          printed += text;
        };
        const env = { DATABASE_URL: service.databaseUrl };
        await runAdmin({ words: [...name.split(' '), ...words, ...format], env, print, printError: print });
        expect(printed).not.toBe('');
        expect(printed.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
      }
    }
  },
);

test.each(['principals list', 'keys list', 'webhooks list', 'quarantine list', 'quotas list'])(
  '%s shows such characters by their codes',
  async (name) => {
    let printed = '';
    const print = (text: string) => {
      printed += text;
    };
    const env = { DATABASE_URL: service.databaseUrl };
    await runAdmin({ words: name.split(' '), env, print, printError: print });
    expect(printed).toContain(shown);
  },
);
