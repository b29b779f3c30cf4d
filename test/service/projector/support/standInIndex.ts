import { toSnakeCase } from 'drizzle-orm/casing';
import { getTableConfig } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import type { Address } from 'viem';
import { indexChannel } from '../../../../src/platform/database/indexNames.ts';
import {
  indexedActions,
  indexedAgreements,
  indexedBlocks,
  indexedDefinitions,
  indexedHeads,
  indexedInputs,
  indexedPermitCounts,
  indexedVerifiers,
} from '../../../../src/platform/database/indexView.ts';
import { type ChainBlock, indexRows } from './chain.ts';

const tables = [
  { table: indexedAgreements, key: 'chain_id, address' },
  { table: indexedDefinitions, key: 'chain_id, agreement' },
  { table: indexedInputs, key: 'chain_id, agreement, position' },
  { table: indexedPermitCounts, key: 'chain_id, contract, signer' },
  { table: indexedBlocks, key: 'chain_id, number' },
  { table: indexedHeads, key: 'chain_id' },
  { table: indexedActions, key: 'chain_id, agreement, ordinal' },
  { table: indexedVerifiers, key: 'chain_id, agreement, ordinal' },
];
const indexes = [
  'agreements (chain_id, block_number)',
  'agreements (chain_id, factory, permit_signer, permit_nonce)',
  'inputs (chain_id, block_number)',
  'inputs (chain_id, agreement, permit_signer, permit_nonce)',
];

/**
 * Writes the indexer's tables without an indexer, so that a test controls what the index shows at each
 * moment.
 */
export type StandInIndex = {
  /** Puts a new, empty deployment behind the views. */
  deploy(): Promise<void>;
  removeViews(): Promise<void>;
  /** Makes the index show exactly these blocks of the chain, in one transaction, and notifies. */
  show(shown: { chainId: number; blocks: readonly ChainBlock[]; head: ChainBlock | null }): Promise<void>;
};

export function createStandInIndex({ pool, factory }: { pool: pg.Pool; factory: Address }): StandInIndex {
  let deployments = 0;
  const current = () => `chain_index_${deployments}`;
  return {
    async deploy() {
      deployments += 1;
      const statements = [`create schema ${current()}`, 'create schema if not exists chain_index'];
      for (const { table, key } of tables) {
        const { name, columns } = getTableConfig(table);
        const definitions = columns.map(
          (column) =>
            `${toSnakeCase(column.name)} ${column.getSQLType()}${column.notNull ? ' not null' : ''}`,
        );
        statements.push(
          `create table ${current()}.${name} (${[...definitions, `primary key (${key})`].join(', ')})`,
        );
      }
      for (const index of indexes) statements.push(`create index on ${current()}.${index}`);
      for (const { table } of tables) {
        const { name } = getTableConfig(table);
        statements.push(`drop view if exists chain_index.${name}`);
        statements.push(`create view chain_index.${name} as select * from ${current()}.${name}`);
      }
      await pool.query(`begin; ${statements.join('; ')}; commit`);
    },
    async removeViews() {
      await pool.query('drop schema if exists chain_index cascade');
    },
    async show({ chainId, blocks, head }) {
      const rows = {
        ...indexRows({ chainId, factory, blocks }),
        heads: head ? [headRow(chainId, head)] : [],
      };
      const client = await pool.connect();
      try {
        await client.query('begin');
        for (const [name, list] of Object.entries(rows)) {
          const table = `${current()}.${name}`;
          await client.query(`delete from ${table} where chain_id = $1`, [chainId]);
          await client.query(
            `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`,
            [JSON.stringify(list)],
          );
        }
        await client.query('select pg_notify($1, $2)', [indexChannel, '[]']);
        await client.query('commit');
      } finally {
        client.release();
      }
    },
  };
}

function headRow(chainId: number, { number, hash, timestamp }: ChainBlock) {
  return { chain_id: chainId, number: String(number), hash, timestamp: String(timestamp) };
}
