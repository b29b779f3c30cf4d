import type pg from 'pg';
import type { Address, Hex } from 'viem';
import { isIndexAbsent } from '../../platform/database/indexAbsence.ts';
import type { indexedAgreements, indexedHeads, indexedInputs } from '../../platform/database/indexView.ts';
import type { NotNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { withConnection } from '../../platform/database/withConnection.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import type { WireValues } from '../../protocol/index.ts';
import { maxDocUri } from '../../records/agreements/maxDocUri.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from '../agreements/recordReference.ts';
import type { EvidenceSource } from './evidenceSource.ts';

export type EvidenceRecord = {
  readonly id: string;
  readonly principalId: string;
  readonly displayName: string;
  readonly chainId: number;
  readonly address: Address;
  readonly document: string;
  readonly docUri: string;
  readonly docHash: Hex;
  readonly initialVariables: WireValues;
};

export type IndexedPlace = {
  readonly transactionHash: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: number;
};

/** An input, without its payload, which is read separately. */
export type IndexedStep = IndexedPlace &
  RowAs<
    typeof indexedInputs,
    {
      readonly inputId: 'input_id';
      readonly fromState: 'from_state';
      readonly toState: 'to_state';
      readonly permitSigner: 'permit_signer';
      readonly permitNonce: 'permit_nonce';
      readonly transactionFrom: 'transaction_from';
      readonly transactionTo: 'transaction_to';
      /** Counts this agreement's inputs within the transaction from 0. */
      readonly ordinal: 'transaction_ordinal';
    }
  > & { readonly time: number; readonly payloadCharacters: number };

/** The index's data about an agreement, at one moment. */
export type IndexedHistory = {
  readonly factory: Hex;
  readonly owner: Hex;
  readonly initialState: Hex;
  readonly currentState: Hex;
  readonly permitSigner: Hex | null;
  readonly permitNonce: string | null;
  readonly deployment: IndexedPlace;
  readonly steps: readonly IndexedStep[];
  readonly head: { readonly number: number; readonly hash: Hex };
};

type RecordRow = RowOf<
  typeof records,
  | 'id'
  | 'status'
  | 'display_name'
  | 'chain_id'
  | 'address'
  | 'document'
  | 'doc_uri'
  | 'doc_hash'
  | 'initial_variables'
  | 'input_count'
>;

const ownedQuery = buildOwnedQuery({
  columns:
    'r.id, r.status, r.display_name, r.chain_id, r.address, r.document, r.doc_uri, r.doc_hash, r.initial_variables, r.input_count',
});

/** @throws RefusedError `not_deployed`, `evidence_too_long`, and what `queryOwned` throws. */
export async function readEvidenceRecord(
  { pool, mostInputs }: Pick<EvidenceSource, 'pool' | 'mostInputs'>,
  { reference, principalId }: { reference: RecordReference; principalId: string },
): Promise<EvidenceRecord> {
  const [row] = await queryOwned<RecordRow>(pool, { reference, principalId, query: ownedQuery });
  if (row.status !== 'Deployed' || row.address === null)
    throw new RefusedError(
      'not_deployed',
      'The agreement is not deployed yet, so there is nothing to prove.',
    );
  requireShort(row.input_count, mostInputs);
  return {
    id: row.id,
    principalId,
    displayName: row.display_name,
    chainId: row.chain_id,
    address: row.address,
    document: row.document,
    docUri: row.doc_uri,
    docHash: row.doc_hash,
    initialVariables: row.initial_variables,
  };
}

// Neither a record nor a file can hold the bytes of a docUri that is no text, or a longer one. A verifier reads the docUri of
// a call without its byte order mark.
const agreementQuery = `
  select a.factory, a.owner, a.initial_state as "initialState", a.current_state as "currentState",
    a.permit_signer as "permitSigner", a.permit_nonce::text as "permitNonce", a.transaction_hash as "transactionHash",
    a.block_hash as "blockHash", a.block_number::float8 as "blockNumber",
    a.doc_uri_bytes is null and char_length(a.doc_uri) <= ${maxDocUri} and left(a.doc_uri, 1) <> chr(65279) as "isDocUriText",
    a.input_count as "inputCount", h.number::float8 as "headNumber", h.hash as "headHash"
  from chain_index.agreements a join chain_index.heads h on h.chain_id = a.chain_id
  where a.chain_id = $1 and a.address = $2`;
const stepsQuery = `
  select input_id as "inputId", from_state as "fromState", to_state as "toState",
    permit_signer as "permitSigner", permit_nonce::text as "permitNonce",
    transaction_from as "transactionFrom", transaction_to as "transactionTo", transaction_hash as "transactionHash",
    block_hash as "blockHash", block_number::float8 as "blockNumber", transaction_ordinal as ordinal,
    block_timestamp::float8 as time, octet_length(payload) as "payloadCharacters"
  from chain_index.inputs where chain_id = $1 and agreement = $2 order by position`;
const deploymentBlockQuery = `
  select block_hash as "blockHash" from chain_index.agreements where chain_id = $1 and address = $2`;
// Written as a range in order: only the index over the position serves it.
const stepBlockQuery = `
  select block_hash as "blockHash" from chain_index.inputs
  where chain_id = $1 and agreement = $2 and position >= $3 and position <= $3 order by position limit 1`;

type AgreementRow = IndexedPlace &
  RowAs<
    typeof indexedAgreements,
    {
      factory: 'factory';
      owner: 'owner';
      permitSigner: 'permit_signer';
      permitNonce: 'permit_nonce';
      inputCount: 'input_count';
    }
  > &
  NotNull<RowAs<typeof indexedAgreements, { initialState: 'initial_state'; currentState: 'current_state' }>> &
  RowAs<typeof indexedHeads, { headHash: 'hash' }> & { headNumber: number; isDocUriText: boolean };

/**
 * Undefined if the index does not show the agreement, or does not exist.
 *
 * @throws RefusedError `evidence_too_long`, `not_provable` before any input is read.
 */
export async function readHistory(
  source: Pick<EvidenceSource, 'pool' | 'mostInputs'>,
  agreement: { chainId: number; address: Address },
): Promise<IndexedHistory | undefined> {
  try {
    return await readShown(source, agreement);
  } catch (error) {
    if (isIndexAbsent(error)) return undefined;
    throw error;
  }
}

/**
 * Whether the index still shows this history, perhaps with later inputs. Reads the block of its last event only:
 * the hash stands for all blocks before it.
 */
export async function isStillShown(
  pool: pg.Pool,
  { chainId, address }: { chainId: number; address: Address },
  { deployment, steps }: IndexedHistory,
): Promise<boolean> {
  const last = steps.at(-1);
  const values = [chainId, address.toLowerCase()];
  try {
    const { rows } = last
      ? await pool.query<Pick<IndexedPlace, 'blockHash'>>(stepBlockQuery, [...values, steps.length])
      : await pool.query<Pick<IndexedPlace, 'blockHash'>>(deploymentBlockQuery, values);
    return rows[0]?.blockHash === (last ?? deployment).blockHash;
  } catch (error) {
    if (isIndexAbsent(error)) return false;
    throw error;
  }
}

/** @throws RefusedError `evidence_too_long` */
function requireShort(inputCount: number, limit: number): void {
  if (inputCount <= limit) return;
  const message = `The agreement has ${inputCount} inputs. Evidence is given of agreements with up to ${limit} inputs.`;
  throw new RefusedError('evidence_too_long', message, { facts: { inputCount, limit } });
}

async function readShown(
  { pool, mostInputs }: Pick<EvidenceSource, 'pool' | 'mostInputs'>,
  { chainId, address }: { chainId: number; address: Address },
): Promise<IndexedHistory | undefined> {
  const values = [chainId, address.toLowerCase()];
  return withConnection(pool, async (client) => {
    // One moment of the index: otherwise a block in between could show inputs beyond the head.
    await client.query('begin isolation level repeatable read read only');
    try {
      const { rows } = await client.query<AgreementRow>(agreementQuery, values);
      const [row] = rows;
      if (!row) return undefined;
      const { inputCount, headNumber: number, headHash: hash, isDocUriText, ...more } = row;
      requireShort(inputCount, mostInputs);
      if (!isDocUriText)
        throw new RefusedError(
          'not_provable',
          'The document URI of the agreement is too long, or no plain text.',
        );
      const { rows: steps } = await client.query<IndexedStep>(stepsQuery, values);
      const { transactionHash, blockHash, blockNumber, ...facts } = more;
      return {
        ...facts,
        deployment: { transactionHash, blockHash, blockNumber },
        steps,
        head: { number, hash },
      };
    } finally {
      await client.query('rollback');
    }
  });
}
