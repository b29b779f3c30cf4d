import type pg from 'pg';
import { buildFilters, type Range } from './filters.ts';
import { type InputRow, inputColumns, inputTables, toInputResource } from './inputJson.ts';
import { buildPage, finishPage, type ListPage, type PageRequest } from './page.ts';
import { queryOwned, type RecordReference } from './recordReference.ts';
import { SqlParameters } from './sqlParameters.ts';

export type InputListRequest = PageRequest & {
  readonly reference: RecordReference;
  readonly principalId: string;
  readonly userId?: string | undefined;
  readonly inputId?: string | undefined;
  readonly status?: string | undefined;
  readonly createdAt: Range;
  readonly updatedAt: Range;
};

/**
 * A page of the history of one of a principal's records, in one statement.
 *
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does; MalformedError for a wrong cursor.
 */
export async function listInputs(pool: pg.Pool, request: InputListRequest): Promise<ListPage> {
  const { reference, principalId, userId, inputId, status, createdAt, updatedAt } = request;
  const parameters = new SqlParameters();
  const { after, order } = buildPage('i', request, parameters);
  const equal = { user_id: userId, input_id: inputId, status };
  const ranges = { created_at: createdAt, updated_at: updatedAt };
  const filters = buildFilters('i', { equal, ranges }, parameters);
  const conditions = ['i.record_id = r.id', after, ...filters].join(' and ');
  const rows = await queryOwned<Nullable<InputRow>>(pool, {
    reference,
    principalId,
    query: {
      columns: 'page.*',
      joins: `left join lateral (
        select ${inputColumns} from ${inputTables} where ${conditions} ${order}) page on true`,
      parameters: parameters.values,
    },
  });
  return finishPage(rows.filter(isPresent), request, toInputResource);
}

/** A record without inputs gives one row of nulls. */
type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

function isPresent(row: Nullable<InputRow>): row is InputRow {
  return row.id !== null;
}
