import type pg from 'pg';
import { quote, secondsSql, writeInstant, writeObject } from './jsonText.ts';
import { type OwnedQuery, queryOwned, type RecordReference } from './recordReference.ts';

/** As the columns below give it; what is JSON in the database comes as its text. */
type RecordRow = {
  id: string;
  address: string | null;
  chain_id: number;
  display_name: string;
  status: string;
  document: string;
  state: string | null;
  variables: string;
  owner: string | null;
  document_id: string | null;
  doc_uri: string;
  contributors: string;
  participants: string;
  observers: string;
  created_at: number;
  updated_at: number;
  last_input_id: string | null;
  last_input_at: number | null;
  doc_hash: string;
  initial_state_hash: string | null;
  state_hash: string | null;
  deploy_tx_hash: string | null;
  deploy_block_number: string | null;
  state_block_number: string | null;
  error: string | null;
};

const query: OwnedQuery = {
  columns: `r.id, r.address, r.chain_id, r.display_name, r.status, r.document, r.state, r.variables::text, r.owner,
    r.document_id, r.doc_uri, r.contributors::text, r.participants::text, r.observers::text,
    ${secondsSql('r.created_at')} as created_at, ${secondsSql('r.updated_at')} as updated_at,
    r.last_input_id, ${secondsSql('r.last_input_at')} as last_input_at, r.doc_hash, r.initial_state_hash, r.state_hash,
    r.deploy_tx_hash, r.deploy_block_number, r.state_block_number, r.error::text`,
};

/**
 * One of a principal's records as JSON, its document with the keys in the order in which they were hashed.
 *
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does.
 */
export async function readRecord(
  pool: pg.Pool,
  { reference, principalId }: { reference: RecordReference; principalId: string },
): Promise<string> {
  const [row] = await queryOwned<RecordRow>(pool, { reference, principalId, query });
  return writeObject({
    id: quote(row.id),
    address: quote(row.address),
    chainId: String(row.chain_id),
    displayName: quote(row.display_name),
    status: quote(row.status),
    json: row.document,
    state: quote(row.state),
    variables: row.variables,
    owner: quote(row.owner),
    documentId: quote(row.document_id),
    docUri: quote(row.doc_uri),
    contributors: row.contributors,
    participants: row.participants,
    observers: row.observers,
    createdAt: writeInstant(row.created_at),
    updatedAt: writeInstant(row.updated_at),
    lastInputId: quote(row.last_input_id),
    lastInputAt: writeInstant(row.last_input_at),
    onChain: writeOnChain(row),
  });
}

/** For a Draft: what its permit says, and why nothing came of it, if nothing can. */
function writeOnChain(row: RecordRow): string {
  return writeObject({
    owner: quote(row.owner),
    docHash: quote(row.doc_hash),
    initialState: quote(row.initial_state_hash),
    currentState: quote(row.state_hash),
    deployTxHash: quote(row.deploy_tx_hash),
    deployBlockNumber: row.deploy_block_number,
    updatedBlockNumber: row.state_block_number,
    error: row.error,
  });
}
