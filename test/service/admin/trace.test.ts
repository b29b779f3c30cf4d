import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAdmin } from '../../../src/cli/admin/runAdmin.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type IndexedService, startIndexedService } from '../support/indexedService.ts';
import { deployLease, type Lease } from '../support/leases.ts';
import type { TestPrincipal } from '../support/testService.ts';

let indexed: IndexedService;
let principal: TestPrincipal;
let lease: Lease;
let inputId: string;
let eventId: string;
let rows: { deploy: Row; input: Row };

type Row = { id: string; permit_digest: string; tx_hash: string; chain_id: number; wallet_nonce: number };

async function admin(...words: string[]) {
  let output = '';
  let complaint = '';
  const code = await runAdmin({
    words,
    env: { DATABASE_URL: indexed.service.databaseUrl },
    print: (text) => {
      output += text;
    },
    printError: (text) => {
      complaint += text;
    },
  });
  return { code, output, complaint };
}
async function trace(id: string) {
  const { code, output } = await admin('trace', id, '--json');
  expect(code).toBe(0);
  return JSON.parse(output);
}

beforeAll(async () => {
  indexed = await startIndexedService();
  const { service, worker, chain } = indexed;
  principal = await service.createPrincipal();
  lease = await deployLease(principal, { chain, worker });
  const values = { months: '4', remark: 'gladly' };
  const { body } = await lease.sign({ inputId: 'accept', values, account: lease.tenant });
  const answer = await principal.call('POST', `/v0/agreements/${lease.id}/input`, { body });
  inputId = Object(answer.body.data).id;
  const { pool } = service.handle;
  rows = await waitUntil('both are mined', async () => {
    const found = await pool.query<Row & { kind: 'deploy' | 'input' }>(
      `select * from service.transactions where state in ('mined', 'final')`,
    );
    const [deploy, input] = (['deploy', 'input'] as const).map((kind) =>
      found.rows.find((row) => row.kind === kind),
    );
    return deploy && input && { deploy, input };
  });
  // Rows that a relay, the release of events and a delivery leave behind.
  for (const { id, tx_hash } of [rows.deploy, rows.input]) {
    await pool.query(
      `insert into service.transaction_attempts (transaction_id, chain_id, wallet, wallet_nonce, tx_hash, raw_transaction,
         max_fee_per_gas, max_priority_fee_per_gas, gas, accepted_at, objection, objection_text)
       values ($1, 59141, $2, 7, $3, '0x', 2500000000, 100000000, 90000, now(), null, null),
              ($1, 59141, $2, 7, $4, '0x', 1500000000, 100000000, 90000, null, 'underpriced', 'too little')`,
      [id, chain.relayer, tx_hash, `0x${id.slice(4)}${id.slice(4)}`],
    );
  }
  eventId = await waitUntil('the event is released', async () => {
    const found = await pool.query<{ id: string }>(
      `select id from service.events where tx_hash = $1 and state = 'released'`,
      [rows.input.tx_hash],
    );
    return found.rows[0]?.id;
  });
  await pool.query(
    `with hook as (
       insert into service.webhook_subscriptions (id, principal_id, url, event_types, secret)
       values ('wh_traced', $1, 'https://receiver.example/hidden-path?token=hidden', '[]', '\\x00') returning id),
     sent as (
       insert into service.deliveries (id, subscription_id, event_id, record_id, status, attempt_count)
       select 'dlv_traced', id, $3, $2, 'succeeded', 2 from hook returning id)
     insert into service.delivery_attempts (delivery_id, number, started_at, duration_ms, response_status)
     select id, number, now(), 12, status from sent, (values (1, 503), (2, 200)) as attempt(number, status)`,
    [principal.id, lease.id, eventId],
  );
});
afterAll(() => indexed?.close());

describe('a trace', () => {
  test.each([
    ['an input', () => inputId],
    ['a transaction', () => rows.input.id],
    ['the hash of a transaction', () => rows.input.tx_hash.toUpperCase().replace('0X', '0x')],
    ['the hash of bytes that were replaced', () => `0x${rows.input.id.slice(4)}${rows.input.id.slice(4)}`],
    ['the digest of a permit', () => rows.input.permit_digest],
    ['an event', () => eventId],
    ['a delivery', () => 'dlv_traced'],
  ])('by %s leads from the asker to the notified receivers', async (_, idOf) => {
    const found = await trace(idOf());
    expect(found.records).toMatchObject([
      { id: lease.id, principalId: principal.id, address: lease.address },
    ]);
    expect(found.transactions).toMatchObject([
      {
        id: rows.input.id,
        kind: 'input',
        permitDigest: rows.input.permit_digest,
        signer: lease.tenant.address,
        attempts: [
          { txHash: rows.input.tx_hash, nonce: 7, maxFeePerGas: '2500000000', objection: null },
          { nonce: 7, acceptedAt: null, objection: 'underpriced: too little' },
        ],
      },
    ]);
    expect(found.inputs).toMatchObject([
      {
        id: inputId,
        status: 'MINED',
        inputId: 'accept',
        principalId: principal.id,
        txHash: rows.input.tx_hash,
      },
    ]);
    expect(found.index).toMatchObject([
      {
        event: 'InputAccepted',
        agreement: lease.address.toLowerCase(),
        txHash: rows.input.tx_hash,
        blockNumber: found.transactions[0].minedBlockNumber,
        logIndex: expect.any(Number),
        permitSigner: lease.tenant.address.toLowerCase(),
      },
    ]);
    expect(found.events).toContainEqual(
      expect.objectContaining({
        id: eventId,
        deliveries: [
          expect.objectContaining({
            id: 'dlv_traced',
            host: 'receiver.example',
            status: 'succeeded',
            attempts: [
              expect.objectContaining({ number: 1, responseStatus: 503 }),
              expect.objectContaining({ number: 2, responseStatus: 200 }),
            ],
          }),
        ],
      }),
    );
  });

  test('of a record holds its deployment and its history', async () => {
    const found = await trace(lease.id);
    expect(found.transactions.map(({ kind }: { kind: string }) => kind)).toEqual(['deploy', 'input']);
    expect(found.index.map(({ event }: { event: string }) => event).toSorted()).toEqual([
      'AgreementDeployed',
      'InputAccepted',
    ]);
    expect(found.inputs).toHaveLength(1);
  });

  test('is printed in lines, without secrets of receivers', async () => {
    const { code, output } = await admin('trace', rows.input.tx_hash);
    expect(code).toBe(0);
    for (const told of [
      `Trace of the transaction hash ${rows.input.tx_hash}`,
      `Record ${lease.id} "Lease" on chain 59141: Deployed`,
      `Transaction ${rows.input.id} (input) on chain 59141:`,
      `${rows.input.permit_digest}, nonce 0 of ${lease.tenant.address} at ${lease.address}`,
      'gas 90000 at 2.5 gwei at most, 0.1 of it as tip',
      'a node said: underpriced: too little',
      'InputAccepted at ',
      'dlv_traced to receiver.example (wh_traced): succeeded',
    ])
      expect(output).toContain(told);
    expect(output).not.toContain('hidden');
  });

  test.each(['agr_none', 'inp_none', 'txn_none', 'evt_none', 'dlv_none', 'none', `0x${'0'.repeat(64)}`])(
    'of %s, which nothing has, says so',
    async (id) => {
      const { code, output, complaint } = await admin('trace', id);
      expect({ code, output }).toEqual({ code: 1, output: '' });
      expect(complaint).toContain(`delivery, transaction hash or permit digest ${id}.`);
    },
  );
});
