import pg from 'pg';

export type Row = Readonly<Record<string, unknown>>;
/** One chain's rows by table, in the order of their keys. */
export type IndexRows = Readonly<Record<keyof typeof orders, readonly Row[]>>;

const orders = {
  agreements: 'address',
  definitions: 'agreement',
  inputs: 'agreement, position',
  verifiers: 'agreement, ordinal',
  actions: 'agreement, ordinal',
  action_executions: 'agreement, position',
  permit_counts: 'contract, signer',
  blocks: 'number',
};

/** Reads the index's rows of a chain through the views in one snapshot. Big numbers are texts. */
export async function readIndexRows(databaseUrl: string, chainId: number): Promise<IndexRows> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read');
    const read = async (table: keyof typeof orders) =>
      (
        await client.query(
          `select * from chain_index.${table} where chain_id = $1 order by ${orders[table]}`,
          [chainId],
        )
      ).rows;
    return {
      agreements: await read('agreements'),
      definitions: await read('definitions'),
      inputs: await read('inputs'),
      verifiers: await read('verifiers'),
      actions: await read('actions'),
      action_executions: await read('action_executions'),
      permit_counts: await read('permit_counts'),
      blocks: await read('blocks'),
    };
  } finally {
    await client.end();
  }
}
