import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { getAddress } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import { recordsOf } from '../../platform/database/statements.ts';
import type { ExtendedRecord } from './extendHistories.ts';
import { type MinedInput, sizeOfInput } from './history.ts';
import { inPortions } from './inPortions.ts';
import { markMined } from './markMined.ts';
import type { OwnInput } from './ownInputs.ts';
import { secondsOf } from './projectedColumns.ts';

/** Characters of payloads and values that one statement inserts. */
const portionSize = 4 * 1024 * 1024;

/**
 * Writes new inputs into their records' histories: a submission of the record's principal becomes MINED,
 * every other input gets its own row.
 */
export async function writeInputs(
  transaction: Queryable,
  {
    chainId,
    records,
    submissions,
  }: { chainId: number; records: readonly ExtendedRecord[]; submissions: readonly OwnInput[] },
): Promise<void> {
  const submitted = new Map(
    submissions.map(({ id, recordId, position }) => [`${recordId} ${position}`, id] as const),
  );
  const own: PlacedInput[] = [];
  const foreign: PlacedInput[] = [];
  for (const { id: recordId, history, mined } of records) {
    const agreementAddress = getAddress(history.agreement);
    for (const input of mined) {
      const ownId = submitted.get(`${recordId} ${input.position}`);
      const id = ownId ?? foreignInputId(recordId, input);
      (ownId === undefined ? foreign : own).push({ input, place: { id, recordId, agreementAddress } });
    }
  }
  await markMined(transaction, own.map(factsOf));
  const portions = inPortions(foreign, { most: portionSize, sizeOf: ({ input }) => sizeOfInput(input) });
  for (const portion of portions) await insertInputs(transaction, { chainId, rows: portion.map(rowOf) });
}

/**
 * The id of an input that no principal submitted here: as hard to guess as the record's id, and the same if a
 * reorg moves its transaction to another block.
 */
function foreignInputId(recordId: string, { txHash, transactionOrdinal }: MinedInput): string {
  const digest = createHash('sha256').update(`${recordId} ${txHash} ${transactionOrdinal}`).digest('hex');
  return `inp_${digest.slice(0, 32)}`;
}

type Place = { id: string; recordId: string; agreementAddress: string };
type PlacedInput = { input: MinedInput; place: Place };
type InputRow = ReturnType<typeof rowOf>;

function factsOf({ input, place: { id } }: PlacedInput) {
  return {
    id,
    signer: input.signer,
    submitter: input.submitter,
    from_state: input.fromState,
    to_state: input.toState,
    tx_hash: input.txHash,
    position: input.position,
    transaction_ordinal: input.transactionOrdinal,
    sequence: input.sequence,
    block_number: String(input.blockNumber),
  };
}

function rowOf({ input, place }: PlacedInput) {
  return {
    ...factsOf({ input, place }),
    record_id: place.recordId,
    agreement_address: place.agreementAddress,
    input_id: input.inputId,
    payload: input.payload,
    values: JSON.stringify(input.values),
    block_timestamp: secondsOf(input.blockTimestamp),
  };
}

async function insertInputs(
  transaction: Queryable,
  { chainId, rows }: { chainId: number; rows: readonly InputRow[] },
): Promise<void> {
  if (rows.length === 0) return;
  await transaction.execute(sql`
    insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, signer, submitter,
      from_state, to_state, payload, values, tx_hash, position, transaction_ordinal, sequence, block_number, created_at)
    select id, record_id, ${chainId}::int, agreement_address, input_id, 'MINED', signer, submitter,
      from_state, to_state, payload, values::json, tx_hash, position, transaction_ordinal, sequence, block_number,
      to_timestamp(block_timestamp)
    from ${recordsOf(rows)} as shown(id text, record_id text, agreement_address text, input_id text, signer text,
      submitter text, from_state text, to_state text, payload text, values text, tx_hash text, position int,
      transaction_ordinal int, sequence int, block_number bigint, block_timestamp double precision)`);
}
