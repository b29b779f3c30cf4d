import type pg from 'pg';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { secondsSql, toInstant } from '../../platform/lists/instant.ts';
import type { CreationPart } from '../../protocol/index.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from './recordReference.ts';
import { findRuleDifferences } from './ruleDifferences.ts';
import { spliceJson } from './spliceJson.ts';

type RecordRow = RowOf<
  typeof records,
  | 'id'
  | 'address'
  | 'chain_id'
  | 'display_name'
  | 'status'
  | 'document'
  | 'state'
  | 'variables'
  | 'owner'
  | 'awaits_owner'
  | 'participant_access'
  | 'document_id'
  | 'doc_uri'
  | 'contributors'
  | 'participants'
  | 'observers'
  | 'last_input_id'
  | 'doc_hash'
  | 'initial_state_hash'
  | 'state_hash'
  | 'deploy_tx_hash'
  | 'error'
> & {
  created_at: number;
  updated_at: number;
  last_input_at: number | null;
  deploy_block_number: number | null;
  deployed_at: number | null;
  state_block_number: number | null;
  is_adopted: boolean;
};

const query = buildOwnedQuery({
  columns: `r.id, r.address, r.chain_id, r.display_name, r.status, r.document, r.state, r.variables, r.owner, r.awaits_owner, r.participant_access,
    r.document_id, r.doc_uri, r.contributors, r.participants, r.observers,
    ${secondsSql('r.created_at')} as created_at, ${secondsSql('r.updated_at')} as updated_at,
    r.last_input_id, ${secondsSql('r.last_input_at')} as last_input_at, r.doc_hash, r.initial_state_hash,
    r.state_hash, r.deploy_tx_hash, r.deploy_block_number::float8 as deploy_block_number,
    ${secondsSql('r.deployed_at')} as deployed_at,
    r.state_block_number::float8 as state_block_number, r.error, r.adopted_through is not null as is_adopted`,
});

/**
 * One of a principal's records as JSON; the document's keys keep the hashed order.
 *
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does.
 */
export async function readRecord(
  pool: pg.Pool,
  { reference, principalId }: { reference: RecordReference; principalId: string },
): Promise<string> {
  const [row] = await queryOwned<RecordRow>(pool, { reference, principalId, query });
  const resource = {
    id: row.id,
    address: row.address ?? undefined,
    chainId: row.chain_id,
    displayName: row.display_name,
    status: row.status,
    state: row.state ?? undefined,
    variables: row.variables,
    owner: row.owner ?? undefined,
    awaitsOwner: row.awaits_owner || undefined,
    participantAccess: row.participant_access,
    documentId: row.document_id ?? undefined,
    docUri: row.doc_uri,
    contributors: row.contributors,
    participants: row.participants,
    observers: row.observers,
    createdAt: toInstant(row.created_at),
    updatedAt: toInstant(row.updated_at),
    lastInputId: row.last_input_id ?? undefined,
    lastInputAt: row.last_input_at === null ? undefined : toInstant(row.last_input_at),
    onChain: toOnChain(row, await findRuleDifferences(pool, row)),
  };
  return spliceJson(resource, { json: row.document });
}

/** For a Draft: its permit's data, and the reason if it can never be deployed. */
function toOnChain(row: RecordRow, differsFromDocument: readonly CreationPart[] | undefined) {
  return {
    owner: row.owner ?? undefined,
    docHash: row.doc_hash,
    differsFromDocument,
    initialState: row.initial_state_hash ?? undefined,
    currentState: row.state_hash ?? undefined,
    deployTxHash: row.deploy_tx_hash ?? undefined,
    deployBlockNumber: row.deploy_block_number ?? undefined,
    deployedAt: row.deployed_at === null ? undefined : toInstant(row.deployed_at),
    updatedBlockNumber: row.state_block_number ?? undefined,
    error: row.error ?? undefined,
  };
}
