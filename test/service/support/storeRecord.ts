import { randomBytes } from 'node:crypto';
import type { Address } from 'viem';
import type { RelayWorld } from '../../support/relayWorld.ts';

/**
 * Stores a Deployed record at `address` (null: a Draft), with an input whose transaction was signed for
 * `agreement`.
 */
export async function storeRecord(
  { pool, chainId }: RelayWorld,
  transactionId: string,
  { address, agreement }: { address: Address | null; agreement: Address },
) {
  const id = randomBytes(8).toString('hex');
  await pool.query(`insert into service.principals (id, name) values ($1, $1)`, [id]);
  await pool.query(
    `insert into service.records (id, principal_id, chain_id, status, display_name, document, doc_hash, template_id, doc_uri,
       participants, observers, contributors, initial_variables, variables, address)
     values ($1, $1, $2, $4, '', '{}', '0x', '', '', '[]', '[]', '[]', '{}', '{}', $3)`,
    [id, chainId, address, address === null ? 'Draft' : 'Deployed'],
  );
  await pool.query(
    `insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, payload, values, transaction_id)
     values ($1, $1, $2, $3, 'stay', 'PENDING', '0x', '{}', $4)`,
    [id, chainId, agreement, transactionId],
  );
  return {
    async moveTo(to: Address) {
      await pool.query('update service.records set address = $2 where id = $1', [id, to]);
    },
    async failDeployment() {
      await pool.query(`update service.records set error = '{"reason": "x", "message": "y"}' where id = $1`, [
        id,
      ]);
    },
  };
}
