import type pg from 'pg';
import { nameHash, serializeAgreement } from '../../src/protocol/index.ts';
import { pingPong } from '../pingPong.ts';

export const chainId = 59141;
/** One in this many agreements has a history of more than a page; all others have one input. */
export const longHistoryEvery = 100;
const longHistory = 40;

/** The id and address of an agreement by its number from 1. */
export const recordIdOf = (number: number) => `agr_${String(number).padStart(32, '0')}`;
/** Its creation time, in seconds. */
export const seededAt = (number: number) => 1_767_225_600 + number * 2;
export const addressOf = (number: number) => `0x${String(number).padStart(40, '0')}`;

export type Seed = {
  principalId: string;
  /**
   * The number of the first agreement, by default 1. If it is higher, the earlier agreements exist already,
   * and no statistics are gathered.
   */
  from?: number;
  size: number;
  indexSchema: string;
};

/** The tables of the seeded rows. */
export const seededTables = (indexSchema: string) => [
  'service.records',
  'service.inputs',
  `"${indexSchema}".agreements`,
  `"${indexSchema}".inputs`,
];

/**
 * Adds agreements of a principal as the projector would leave them, with their inputs, and the index rows
 * from which they were folded. The index rows bypass the triggers with which Ponder stores how to undo them.
 */
export async function seedAgreements(
  pool: pg.Pool,
  { principalId, from, size, indexSchema }: Seed,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`set session_replication_role = replica`);
    const range = [from ?? 1, size];
    const [ping, pong, hit] = [nameHash('PING'), nameHash('PONG'), nameHash('hit')];
    const hash = (kind: string, value: string) =>
      `'0x' || md5('${kind}' || ${value}) || md5('${kind}2' || ${value})`;
    const ofRecord = `'agr_' || lpad(n::text, 32, '0') as id, '0x' || lpad(n::text, 40, '0') as address,
      case when n % ${longHistoryEvery} = 0 then ${longHistory} else 1 end as inputs,
      1767225600 + n * 2 as seconds`;
    const numbers = `(select n, ${ofRecord} from generate_series($1::int, $2::int) as n) a`;
    const history = `${numbers} cross join lateral generate_series(1, a.inputs) as position`;
    const stateAfter = (count: string, [even, odd]: [string, string]) =>
      `case when ${count} % 2 = 0 then '${even}' else '${odd}' end`;

    await client.query(
      `insert into service.records (id, principal_id, chain_id, address, status, display_name, document, doc_hash,
        template_id, doc_uri, document_id, participants, observers, contributors, initial_variables, variables, owner,
        initial_state_hash, state_hash, state, state_block_number, state_updated_at, deploy_tx_hash, deploy_block_number,
        input_count, transition_count, last_input_id, last_input_at, created_at, updated_at)
      select id, $3, ${chainId}, address, 'Deployed', 'Ping pong ' || n, $4, ${hash('document', `n % 100`)},
        'did:example:ping-pong', 'http://127.0.0.1:3000/v0/agreements/documents/' || n, n::text, '[]', '[]', '[]', '{}', '{}',
        address, '${ping}', ${stateAfter('inputs', [ping, pong])}, ${stateAfter('inputs', ['PING', 'PONG'])}, n + inputs,
        to_timestamp(seconds + inputs), ${hash('deploy', 'n')}, n, inputs, inputs, 'hit', to_timestamp(seconds + inputs),
        to_timestamp(seconds), to_timestamp(seconds + inputs)
      from ${numbers}`,
      [...range, principalId, serializeAgreement(pingPong)],
    );
    await client.query(
      `insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, signer, submitter, from_state,
        to_state, payload, "values", tx_hash, position, transaction_ordinal, sequence, block_number, created_at, updated_at)
      select 'inp_' || md5(id || position), id, ${chainId}, address, 'hit', 'MINED', address, address,
        ${stateAfter('position', ['PONG', 'PING'])}, ${stateAfter('position', ['PING', 'PONG'])}, '0x' || repeat('00', 160),
        '{"note":"round"}', ${hash('input', 'id || position')}, position, 0, position, n + position,
        to_timestamp(seconds + position), to_timestamp(seconds + position)
      from ${history}`,
      range,
    );
    await client.query(
      `insert into "${indexSchema}".agreements (chain_id, address, factory, owner, doc_uri, doc_hash, initial_state,
        current_state, input_count, transition_count, verifier_count, action_count, transaction_hash, transaction_from,
        log_index, block_number, block_hash, block_timestamp, updated_block_number, updated_block_timestamp)
      select ${chainId}, address, address, address, 'x:' || n, ${hash('document', 'n % 100')}, '${ping}',
        ${stateAfter('inputs', [ping, pong])}, inputs, inputs, 0, 0, ${hash('deploy', 'n')}, address, 0, n,
        ${hash('block', 'n')}, seconds, n + inputs, seconds + inputs
      from ${numbers}`,
      range,
    );
    await client.query(
      `insert into "${indexSchema}".inputs (chain_id, agreement, position, input_id, from_state, to_state, sequence, payload,
        fields, transaction_hash, transaction_from, transaction_ordinal, log_index, block_number, block_hash, block_timestamp)
      select ${chainId}, address, position, '${hit}', ${stateAfter('position', [pong, ping])},
        ${stateAfter('position', [ping, pong])}, position, '0x' || repeat('00', 160), '[]', ${hash('input', 'id || position')},
        address, 0, 0, n + position, ${hash('block', 'n + position')}, seconds + position
      from ${history}`,
      range,
    );
  } finally {
    await client.query('reset session_replication_role');
    client.release();
  }
  if (from === undefined)
    for (const table of seededTables(indexSchema)) await pool.query(`vacuum (analyze) ${table}`);
  // Otherwise the database would write all rows to its files during the measurement.
  await pool.query('checkpoint');
}
