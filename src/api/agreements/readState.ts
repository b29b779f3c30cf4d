import type pg from 'pg';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { secondsSql, toInstant } from '../../platform/lists/instant.ts';
import type { AcceptedInputs } from './acceptedInputs.ts';
import { spliceJson } from './jsonText.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from './recordReference.ts';

type StateRow = RowOf<typeof records, 'id' | 'status' | 'state' | 'doc_hash' | 'variables'> & {
  state_block_number: number | null;
  head_block_number: number | null;
  updated_at: number;
};

const query = buildOwnedQuery({
  columns: `r.id, r.status, r.state, r.state_block_number::float8 as state_block_number, r.doc_hash, r.variables,
    (select head_number::float8 from service.projections where chain_id = r.chain_id) as head_block_number,
    ${secondsSql('coalesce(r.state_updated_at, r.updated_at)')} as updated_at`,
});

/**
 * The state of one of a principal's records as JSON, with its accepted inputs; null for a Draft.
 *
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does.
 */
export async function readState(
  pool: pg.Pool,
  acceptedInputs: AcceptedInputs,
  { reference, principalId }: { reference: RecordReference; principalId: string },
): Promise<string> {
  const [row] = await queryOwned<StateRow>(pool, { reference, principalId, query });
  const { id, status, state, doc_hash: docHash, variables } = row;
  const isDeployed = status === 'Deployed' && state !== null;
  const accepted = isDeployed
    ? await acceptedInputs.read({ recordId: id, docHash, state, variables })
    : { description: undefined, inputsText: '[]', participants: [] };
  const resource = {
    status,
    state: isDeployed ? state : null,
    description: accepted.description,
    blockNumber: isDeployed ? row.state_block_number : null,
    headBlockNumber: row.head_block_number,
    updatedAt: toInstant(row.updated_at),
    participants: accepted.participants,
  };
  return spliceJson(resource, { acceptedInputs: accepted.inputsText });
}
