import type pg from 'pg';
import type { TestPrincipal } from './testService.ts';

/** Inserts records as the projector leaves them, one for each given part. */
export async function insertRecords(
  pool: pg.Pool,
  { id: principalId }: Pick<TestPrincipal, 'id'>,
  records: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  for (const record of records)
    await insert(pool, 'records', {
      principal_id: principalId,
      chain_id: 59141,
      status: 'Deployed',
      display_name: 'Lease',
      document: '{}',
      doc_hash: `0x${'0'.repeat(64)}`,
      template_id: 'did:template:lease',
      doc_uri: 'x:1',
      participants: '[]',
      observers: '[]',
      contributors: '[]',
      initial_variables: '{}',
      variables: '{}',
      ...record,
    });
}

/** Inserts inputs of a record as the projector leaves them. */
export async function insertInputs(
  pool: pg.Pool,
  record: { id: string; address: string },
  inputs: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  for (const input of inputs)
    await insert(pool, 'inputs', {
      record_id: record.id,
      chain_id: 59141,
      agreement_address: record.address,
      input_id: 'accept',
      status: 'MINED',
      payload: '0x',
      values: '{}',
      tx_hash: `0x${'1'.repeat(64)}`,
      ...input,
    });
}

async function insert(pool: pg.Pool, table: string, row: Readonly<Record<string, unknown>>): Promise<void> {
  const columns = Object.keys(row).map((name) => `"${name}"`);
  const places = columns.map((_, at) => `$${at + 1}`);
  await pool.query(
    `insert into service.${table} (${columns.join(', ')}) values (${places.join(', ')})`,
    Object.values(row),
  );
}
