import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetProofs } from '../../src/api/evidence/forgetProofs.ts';
import { findProved, readProved, storeProved } from '../../src/api/evidence/proofStore.ts';
import { createFixture, type Fixture } from './projector/support/setup.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.close());

/** Proofs of ten bytes each, that were last used so many days ago. */
const insertProofs = (principalId: string, { count, days }: { count: number; days: number }) =>
  fixture.pool.query(
    `insert into service.evidence_proofs
       (principal_id, chain_id, block_hash, transaction_hash, block, transaction_index, entry, used_at)
     select $1, 1, '0x' || $3, '0x' || at, '{}', 0, '{"a":12}', now() - $3::int * interval '1 day'
     from generate_series(1, $2::int) at`,
    [principalId, count, days],
  );

test('all proofs that no file has needed for a month are deleted in one sweep, and count no more', async () => {
  const { pool } = fixture;
  for (const id of ['counted', 'partly', 'never'])
    await pool.query('insert into service.principals (id, name) values ($1, $1)', [id]);
  // Rows of earlier versions were stored without being counted.
  await pool.query(
    `insert into service.usage_totals (principal_id, stored_bytes) values ('counted', 50060), ('partly', 7)`,
  );
  await insertProofs('counted', { count: 5_000, days: 31 });
  await insertProofs('counted', { count: 3, days: 29 });
  for (const id of ['partly', 'never']) await insertProofs(id, { count: 2, days: 31 });
  expect(await forgetProofs(pool)).toBe(5_004);
  const { rows: left } = await pool.query('select distinct principal_id from service.evidence_proofs');
  expect(left).toEqual([{ principal_id: 'counted' }]);
  const { rows: totals } = await pool.query(
    'select principal_id, stored_bytes::int from service.usage_totals order by principal_id',
  );
  expect(totals).toEqual([
    { principal_id: 'counted', stored_bytes: 60 },
    { principal_id: 'partly', stored_bytes: 0 },
  ]);
});

test('a proof is found and read for the principal and chain for which it was stored, and for no other', async () => {
  const { pool } = fixture;
  for (const id of ['one', 'other'])
    await pool.query('insert into service.principals (id, name) values ($1, $1)', [id]);
  const place = { blockHash: '0xb1', transactionHash: '0xc1' } as const;
  const block = { number: 1, hash: place.blockHash, timestamp: 1, header: null };
  const owners = [
    { principalId: 'one', chainId: 1 },
    { principalId: 'one', chainId: 2 },
    { principalId: 'other', chainId: 1 },
  ];
  const [first, ...others] = owners.map((owner, at) => ({ owner, entry: JSON.stringify({ of: at }) }));
  const store = ({ owner, entry }: { owner: (typeof owners)[number]; entry: string }) =>
    storeProved(pool, owner, { block, proofs: [{ hash: place.transactionHash, index: 0, entry }] });
  if (!first) throw new Error('no owner');
  await store(first);
  for (const { owner } of others) {
    expect(await findProved(pool, owner, [place])).toEqual(new Map());
    expect(await readProved(pool, owner, [place])).toEqual([]);
  }
  for (const other of others) await store(other);
  for (const { owner, entry } of [first, ...others])
    expect(await readProved(pool, owner, [place])).toMatchObject([{ ...place, entry }]);

  // To find a proof is to use it, and it is kept for whoever does.
  await pool.query(`update service.evidence_proofs set used_at = now() - interval '31 days'`);
  expect(await findProved(pool, first.owner, [place])).toEqual(
    new Map([[`${place.blockHash} ${place.transactionHash}`, first.entry.length]]),
  );
  const { rows } = await pool.query(
    `select principal_id, chain_id from service.evidence_proofs where used_at > now() - interval '30 days' and block_hash = $1`,
    [place.blockHash],
  );
  expect(rows).toEqual([{ principal_id: 'one', chain_id: 1 }]);
});
