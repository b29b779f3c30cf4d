import type pg from 'pg';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import { recordKeys, type records } from '../../platform/database/tables/records.ts';
import { secondsSql, toInstant } from '../../platform/lists/instant.ts';
import type { Range } from '../../platform/lists/listFilters.ts';
import { finishPage, type ListPage, type PageRequest } from '../../platform/lists/page.ts';
import { type ListTable, queryList, type Selection } from '../../platform/lists/queryList.ts';
import { SqlParameters } from '../../platform/lists/sqlParameters.ts';
import { chains } from '../../protocol/chains.ts';

export type RecordListRequest = PageRequest & {
  readonly principalId: string;
  readonly state?: string | undefined;
  readonly chainId?: number | undefined;
  /** Prefix of their names, in either case. */
  readonly namePrefix?: string | undefined;
  readonly createdAt: Range;
  readonly updatedAt: Range;
};

const table: ListTable = {
  name: 'service.records',
  alias: 'r',
  keyColumn: 'display_name',
  columns: `r.id, r.address, r.chain_id, r.display_name, r.status, r.state, r.template_id, r.last_input_id,
    ${secondsSql('r.last_input_at')} as last_input_at, r.owner, r.document_id, r.doc_uri,
    ${secondsSql('r.created_at')} as created_at, ${secondsSql('r.updated_at')} as updated_at`,
};

type SummaryRow = RowOf<
  typeof records,
  | 'id'
  | 'address'
  | 'chain_id'
  | 'display_name'
  | 'status'
  | 'state'
  | 'template_id'
  | 'last_input_id'
  | 'owner'
  | 'document_id'
  | 'doc_uri'
> & { last_input_at: number | null; created_at: number; updated_at: number };

/**
 * A page of a principal's records.
 *
 * @throws MalformedError for a wrong cursor.
 */
export async function listRecords(pool: pg.Pool, request: RecordListRequest): Promise<ListPage> {
  const { principalId, state, chainId, namePrefix, createdAt, updatedAt, sort } = request;
  const list = ['agreements', principalId, state, chainId, namePrefix, createdAt, updatedAt, sort];
  const parameters = new SqlParameters();
  const readName = (id: string) => readNameOf(pool, { id, principalId });
  const selection = { ...request, list, branches: listBranches(request, parameters), readName };
  const rows = await queryList(table, { selection, parameters }, ({ text }, values) =>
    runPrepared<SummaryRow>(pool, text, values),
  );
  return finishPage(rows, selection, toSummary);
}

async function readNameOf(
  pool: pg.Pool,
  { id, principalId }: { id: string; principalId: string },
): Promise<string | undefined> {
  const query = 'select display_name from service.records where id = $1 and principal_id = $2';
  const [row] = await runPrepared<Pick<SummaryRow, 'display_name'>>(pool, query, [id, principalId]);
  return row?.display_name;
}

const registered = chains.map(({ chainId }) => `'${chainId}'`);

/**
 * A principal's records by their filters. The index for a state begins with the chain. Without a chain filter, the
 * lists of all chains are merged; there are few chains.
 */
function listBranches(
  { principalId, chainId, state }: RecordListRequest,
  parameters: SqlParameters,
): Selection['branches'] {
  const principal = `${parameters.add(principalId)}::text`;
  const chain = chainId === undefined ? undefined : `${parameters.add(String(chainId))}::text`;
  if (state === undefined) {
    if (chain === undefined) return [{ key: 'r.principal_id', value: `(select ${principal})` }];
    return [{ key: `(${recordKeys.chain('r.')})`, value: `(select ${principal} || ' ' || ${chain})` }];
  }
  const name = `${parameters.add(state)}::text`;
  const [first, ...others] = (chain === undefined ? registered : [chain]).map((each) => ({
    key: `(${recordKeys.state('r.')})`,
    value: `(select ${principal} || ' ' || ${each} || ' ' || left(${name}, 64))`,
    filter: `r.state = ${name}`,
  }));
  if (first === undefined) throw new Error('No chain is configured.');
  return [first, ...others];
}

function toSummary(row: SummaryRow) {
  return {
    id: row.id,
    address: row.address ?? undefined,
    chainId: row.chain_id,
    displayName: row.display_name,
    status: row.status,
    state: row.state ?? undefined,
    templateId: row.template_id,
    lastInputId: row.last_input_id ?? undefined,
    lastInputAt: row.last_input_at === null ? undefined : toInstant(row.last_input_at),
    owner: row.owner ?? undefined,
    documentId: row.document_id ?? undefined,
    docUri: row.doc_uri,
    createdAt: toInstant(row.created_at),
    updatedAt: toInstant(row.updated_at),
  };
}
