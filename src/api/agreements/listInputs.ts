import type pg from 'pg';
import type { OrNull } from '../../platform/database/rowOf.ts';
import {
  type InputStatus,
  inputKeys,
  inputRankOf,
  inputStatuses,
} from '../../platform/database/tables/inputs.ts';
import type { Range } from '../../platform/lists/listFilters.ts';
import { finishPage, type ListPage, type PageRequest } from '../../platform/lists/page.ts';
import { type ListQuery, type ListTable, queryList, type Selection } from '../../platform/lists/queryList.ts';
import { SqlParameters } from '../../platform/lists/sqlParameters.ts';
import { type InputRow, inputColumns, inputNames, toInputResource } from './inputJson.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from './recordReference.ts';

export type InputListRequest = PageRequest & {
  readonly reference: RecordReference;
  readonly principalId: string;
  readonly userId?: string | undefined;
  readonly inputId?: string | undefined;
  readonly status?: InputStatus | undefined;
  readonly createdAt: Range;
  readonly updatedAt: Range;
};

const rank = inputRankOf('i.position');

/** Inputs of one time keep the chain's order; unmined inputs come after them. */
const table: ListTable = {
  name: 'service.inputs',
  alias: 'i',
  rank,
  keyColumn: 'position',
  columns: `${inputColumns}, ${rank} as rank`,
  joins: 'left join service.transactions t on t.id = i.transaction_id',
};

/**
 * A page of the history of one of a principal's records.
 *
 * @param toResource how the wire shows an input.
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does; MalformedError for a wrong cursor.
 */
export async function listInputs(
  pool: pg.Pool,
  request: InputListRequest,
  toResource: (row: InputRow) => object = toInputResource,
): Promise<ListPage> {
  const { reference, principalId, userId, inputId, status, createdAt, updatedAt, sort } = request;
  const list = ['inputs', principalId, reference, userId, inputId, status, createdAt, updatedAt, sort];
  const parameters = new SqlParameters();
  const selection = { ...request, list, branches: listBranches(request, parameters) };
  const rows = await queryList(table, { selection, parameters }, (query, values) =>
    queryOwned<OrNull<ListedInput>>(pool, {
      reference,
      principalId,
      query: buildOwnedQuery({
        columns: 'page.*',
        joins: `left join lateral (${withinBytes(query)}) page on true`,
        parameters: values,
      }),
    }),
  );
  const listed = rows.filter(isPresent);
  const isCut = listed.length < (listed[0]?.found ?? 0);
  // A last row beyond the page shows that others follow.
  const limit = isCut ? Math.max(1, listed.length - 1) : selection.limit;
  return finishPage(listed, { ...selection, limit }, toResource);
}

/** UTF-8 bytes of the payloads and values of one page; a page has at least one input if there is one. */
const pageBytes = 2 * 1024 * 1024;

/**
 * The first rows of a query, as many as fit a page's bytes and at least two; `found` is the number of rows. JSON must be decompressed
 * to be measured, so the values of inputs whose payloads do not fit are not measured. A page's processor time grows with its columns,
 * so it names them.
 */
function withinBytes({ text, added }: ListQuery): string {
  const columns = [...inputNames, 'rank', 'found', ...added].map((name) => `"${name}"`);
  return `select ${columns.join(', ')} from (
      select *, count(*) over ()::int as found, sum(case when payloads <= ${pageBytes}
        then octet_length(payload) + octet_length("values"::text) else ${pageBytes} end) over (order by ordinal) as through
      from (
        select listed.*, sum(octet_length(listed.payload)) over (rows unbounded preceding) as payloads,
          row_number() over () as ordinal
        from (${text}) listed
      ) as numbered
    ) as measured where ordinal <= 2 or through <= ${pageBytes} order by ordinal`;
}

/**
 * A record's inputs by their filters. The filter indexes begin with the input's id, if given, then status and
 * user. Absent ones are enumerated: one branch per pair of values.
 */
function listBranches(
  { principalId, userId, inputId, status }: InputListRequest,
  parameters: SqlParameters,
): Selection['branches'] {
  if (userId === undefined && inputId === undefined && status === undefined)
    return [{ key: 'i.record_id', value: 'r.id' }];
  // Only the record's principal submits to its history through this service.
  const users =
    userId === undefined
      ? [`${parameters.add(principalId)}::text`, `''`]
      : [`${parameters.add(userId)}::text`];
  const name = inputId === undefined ? undefined : `${parameters.add(inputId)}::text`;
  const [first, ...others] = (status === undefined ? inputStatuses : [status]).flatMap((each) =>
    users.map((user) => {
      const value = `r.id || ' ${each} ' || ${user}`;
      if (name === undefined) return { key: `(${inputKeys.status('i.')})`, value };
      return {
        key: `(${inputKeys.name('i.')})`,
        value: `${value} || ' ' || left(${name}, 64)`,
        filter: `i.input_id = ${name}`,
      };
    }),
  );
  if (first === undefined) throw new Error('There is no status.');
  return [first, ...others];
}

type ListedInput = InputRow & { rank: number; found: number };

/** A record without inputs gives one row of nulls. */
function isPresent(row: OrNull<ListedInput>): row is ListedInput {
  return row.id !== null;
}
