import type pg from 'pg';
import { runPrepared } from '../database/runPrepared.ts';
import { buildFilters, type Range } from './filters.ts';
import { instantSql } from './jsonText.ts';
import { buildPage, finishPage, type ListPage, type PageRequest, type PageRow } from './page.ts';
import { SqlParameters } from './sqlParameters.ts';

export type RecordListRequest = PageRequest & {
  readonly principalId: string;
  readonly state?: string | undefined;
  readonly chainId?: number | undefined;
  readonly createdAt: Range;
  readonly updatedAt: Range;
};

/** SQL for the summary of a record as the wire shows it, as text. */
const summaryJson = `json_strip_nulls(json_build_object(
  'id', r.id, 'address', r.address, 'chainId', r.chain_id, 'displayName', r.display_name, 'status', r.status,
  'state', r.state, 'templateId', r.template_id, 'lastInputId', r.last_input_id,
  'lastInputAt', ${instantSql('r.last_input_at')}, 'owner', r.owner, 'documentId', r.document_id, 'docUri', r.doc_uri,
  'createdAt', ${instantSql('r.created_at')}, 'updatedAt', ${instantSql('r.updated_at')}))::text`;

/**
 * A page of a principal's records, in one statement.
 *
 * @throws MalformedError for a wrong cursor.
 */
export async function listRecords(pool: pg.Pool, request: RecordListRequest): Promise<ListPage> {
  const { principalId, state, chainId, createdAt, updatedAt } = request;
  const parameters = new SqlParameters();
  const owner = `r.principal_id = ${parameters.add(principalId)}`;
  const { select, after, order } = buildPage('r', request, parameters);
  const equal = { state, chain_id: chainId };
  const filters = buildFilters(
    'r',
    { equal, ranges: { created_at: createdAt, updated_at: updatedAt } },
    parameters,
  );
  const conditions = [owner, after, ...filters].join(' and ');
  const text = `select ${summaryJson} as json, ${select} from service.records r where ${conditions} ${order}`;
  const rows = await runPrepared<PageRow>(pool, text, parameters.values);
  return finishPage(rows, request);
}
