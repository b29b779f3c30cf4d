import type pg from 'pg';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { secondsSql, toInstant } from '../../platform/lists/instant.ts';
import type { WireValues } from '../../protocol/index.ts';
import type { AcceptedInputs } from './acceptedInputs.ts';
import { readHeldAddresses } from './heldAddress.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from './recordReference.ts';
import { spliceJson } from './spliceJson.ts';

type StateRow = RowOf<typeof records, 'id' | 'status' | 'state' | 'doc_hash'> & {
  /** Null if they are large. */
  variables: WireValues | null;
  variable_bytes: number;
  state_block_number: number | null;
  head_block_number: number | null;
  updated_at: number;
};

/** Bytes of variables of which only those are read that an input needs. */
const largeVariables = 65_536;

const query = buildOwnedQuery({
  columns: `r.id, r.status, r.state, r.state_block_number::float8 as state_block_number, r.doc_hash,
    octet_length(r.variables::text) as variable_bytes,
    case when octet_length(r.variables::text) <= ${largeVariables} then r.variables end as variables,
    (select head_number::float8 from service.projections where chain_id = r.chain_id) as head_block_number,
    ${secondsSql('coalesce(r.state_updated_at, r.updated_at)')} as updated_at`,
});

/**
 * The state of one of a principal's records as JSON, with its accepted inputs; null for a Draft. Also returns the bytes
 * that were read for it.
 *
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does.
 */
export async function readState(
  pool: pg.Pool,
  acceptedInputs: AcceptedInputs,
  { reference, principalId }: { reference: RecordReference; principalId: string },
): Promise<{ dataText: string; readBytes: number }> {
  const [row] = await queryOwned<StateRow>(pool, { reference, principalId, query });
  const { id, status, state, doc_hash: docHash, variable_bytes: readBytes } = row;
  const variables =
    row.variables ??
    ((names: readonly string[]) => readHeldAddresses(pool, { recordId: id, variables: names }));
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
  return { dataText: spliceJson(resource, { acceptedInputs: accepted.inputsText }), readBytes };
}
