import type pg from 'pg';
import { runPrepared } from '../database/runPrepared.ts';
import { buildFilters, type Range } from './filters.ts';
import { secondsSql, toInstant } from './jsonText.ts';
import { buildPage, finishPage, type ListPage, type PageRequest } from './page.ts';
import { SqlParameters } from './sqlParameters.ts';

export type RecordListRequest = PageRequest & {
  readonly principalId: string;
  readonly state?: string | undefined;
  readonly chainId?: number | undefined;
  readonly createdAt: Range;
  readonly updatedAt: Range;
};

const columns = `r.id, r.address, r.chain_id, r.display_name, r.status, r.state, r.template_id, r.last_input_id,
  ${secondsSql('r.last_input_at')} as last_input_at, r.owner, r.document_id, r.doc_uri,
  ${secondsSql('r.created_at')} as created_at, ${secondsSql('r.updated_at')} as updated_at`;

type SummaryRow = {
  id: string;
  address: string | null;
  chain_id: number;
  display_name: string;
  status: string;
  state: string | null;
  template_id: string;
  last_input_id: string | null;
  last_input_at: number | null;
  owner: string | null;
  document_id: string | null;
  doc_uri: string;
  created_at: number;
  updated_at: number;
};

/**
 * A page of a principal's records, in one statement.
 *
 * @throws MalformedError for a wrong cursor.
 */
export async function listRecords(pool: pg.Pool, request: RecordListRequest): Promise<ListPage> {
  const { principalId, state, chainId, createdAt, updatedAt } = request;
  const parameters = new SqlParameters();
  const owner = `r.principal_id = ${parameters.add(principalId)}`;
  const { after, order } = buildPage('r', request, parameters);
  const ranges = { created_at: createdAt, updated_at: updatedAt };
  const filters = buildFilters('r', { equal: { state, chain_id: chainId }, ranges }, parameters);
  const conditions = [owner, after, ...filters].join(' and ');
  const text = `select ${columns} from service.records r where ${conditions} ${order}`;
  const rows = await runPrepared<SummaryRow>(pool, text, parameters.values);
  return finishPage(rows, request, toSummary);
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
