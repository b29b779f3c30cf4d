import { createPublicClient, http } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectEvidence } from '../../src/api/evidence/collectEvidence.ts';
import { createEvidenceSource } from '../../src/api/evidence/evidenceSource.ts';
import { readEvidenceRecord } from '../../src/api/evidence/evidenceSubject.ts';
import { ChainUnavailableError } from '../../src/platform/errors/serviceError.ts';
import { chainId, createFixture, type Fixture } from './projector/support/setup.ts';
import { createExplainedPool, type ExplainedPool } from './support/explainedPool.ts';
import { measureRows } from './support/planCases.ts';
import { insertRecords } from './support/rows.ts';

const mostInputs = 1_000;
const mostBytes = 1_000_000;
const principalId = 'prn_long';
const hash = `0x${'1'.repeat(64)}`;
const addressOf = (end: number) => `0x${String(end).padStart(40, '0')}` as const;

let fixture: Fixture;
let explained: ExplainedPool;
beforeAll(async () => {
  fixture = await createFixture();
  const { pool, index } = fixture;
  await index.deploy();
  explained = createExplainedPool(fixture.url, {});
  await pool.query('insert into service.principals (id, name) values ($1, $1)', [principalId]);
  await pool.query(
    'insert into chain_index.heads (chain_id, number, hash, timestamp) values ($1, 9, $2, 9)',
    [chainId, hash],
  );
});
afterAll(async () => {
  await explained.pool.end();
  await fixture.close();
});

/** An agreement with so many inputs in the index, and with perhaps fewer in its record. */
async function insertAgreement(
  end: number,
  { count, folded, payload = '0x' }: { count: number; folded: number; payload?: string },
) {
  const { pool } = fixture;
  const address = addressOf(end);
  const id = `agr_long${end}`;
  await insertRecords(pool, { id: principalId }, [{ id, address, chain_id: chainId, input_count: folded }]);
  await pool.query(
    `insert into chain_index.agreements (chain_id, address, factory, owner, doc_uri, doc_hash, initial_state, current_state,
      input_count, transition_count, verifier_count, action_count, transaction_hash, transaction_from, log_index, block_number,
      block_hash, block_timestamp, updated_block_number, updated_block_timestamp)
    values ($1, $2, $2, $2, 'x:1', $3, $3, $3, $4, 0, 0, 0, $3, $2, 0, 1, $3, 1, 1, 1)`,
    [chainId, address, hash, count],
  );
  await pool.query(
    `insert into chain_index.inputs (chain_id, agreement, position, input_id, from_state, to_state, payload, transaction_hash,
      transaction_from, transaction_ordinal, log_index, block_number, block_hash, block_timestamp)
    select $1, $2, at, $3, $3, $3, $5, $3, $2, 0, 0, 1, $3, 1 from generate_series(1, $4::int) as at`,
    [chainId, address, hash, count, payload],
  );
  return { id };
}

const collect = async (id: string) => {
  const source = createEvidenceSource(explained.pool, {
    ...{ charactersPerSecond: 1_000_000, mostInputs, mostBytes, publicBaseUrl: 'https://x.example' },
    ...{ areOthersWaiting: () => false },
    quotas: { check: () => Promise.resolve(), note() {} },
  });
  const record = await readEvidenceRecord(source, { reference: { id }, principalId });
  const client = createPublicClient({ transport: http('http://127.0.0.1:1', { retryCount: 0 }) });
  const signal = AbortSignal.timeout(60_000);
  return collectEvidence({ source, client, record, onProgress() {}, isTurnOver: () => false, signal });
};

test('a history longer than evidence may have is refused before any of its inputs is read', async () => {
  const folded = await insertAgreement(1, { count: 20_000, folded: 20_000 });
  const isBehind = await insertAgreement(2, { count: 20_000, folded: 0 });
  await fixture.pool.query('analyze');
  for (const { id } of [folded, isBehind]) {
    const { rowsRead, plans } = await measureRows(explained, () =>
      expect(collect(id)).rejects.toMatchObject({
        reason: 'evidence_too_long',
        facts: { inputCount: 20_000, limit: mostInputs },
      }),
    );
    expect(rowsRead, plans).toBeLessThan(100);
  }
});

test('a history as long as evidence may have is read', async () => {
  const { id } = await insertAgreement(3, { count: mostInputs, folded: mostInputs });
  // The blocks are then asked of a node, and here is none.
  await expect(collect(id)).rejects.toThrow(ChainUnavailableError);
});

test('a history whose payloads alone exceed the largest file is refused before a node is asked', async () => {
  const payload = `0x${'12'.repeat(500)}`;
  const { id } = await insertAgreement(4, { count: mostInputs, folded: mostInputs, payload });
  await expect(collect(id)).rejects.toMatchObject({
    reason: 'evidence_too_long',
    facts: { limitBytes: mostBytes },
  });
});
