import type pg from 'pg';
import { type InputStatus, inputKeys, inputRankOf, inputStatuses } from '../database/tables/inputs.ts';
import type { Range } from './filters.ts';
import { type InputRow, inputColumns, toInputResource } from './inputJson.ts';
import { finishPage, type ListPage, type PageRequest } from './page.ts';
import { type ListTable, queryList, type Selection } from './queryList.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from './recordReference.ts';
import { SqlParameters } from './sqlParameters.ts';

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

/** Inputs of one time stand in the order in which the chain has taken them, and before those that it has not taken yet. */
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
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does; MalformedError for a wrong cursor.
 */
export async function listInputs(pool: pg.Pool, request: InputListRequest): Promise<ListPage> {
  const { reference, principalId, userId, inputId, status, createdAt, updatedAt, sort } = request;
  const list = ['inputs', principalId, reference, userId, inputId, status, createdAt, updatedAt, sort];
  const parameters = new SqlParameters();
  const selection = { ...request, list, branches: listBranches(request, parameters) };
  const rows = await queryList(table, { selection, parameters }, (query, values) =>
    queryOwned<Nullable<ListedInput>>(pool, {
      reference,
      principalId,
      query: buildOwnedQuery({
        columns: 'page.*',
        joins: `left join lateral (${query}) page on true`,
        parameters: values,
      }),
    }),
  );
  return finishPage(rows.filter(isPresent), selection, toInputResource);
}

/**
 * A record's inputs by what they are filtered by. The indexes for filters begin with the input's id, if that is given, and then
 * have status and user: those that are not given are enumerated, which takes one branch for each pair of them.
 */
function listBranches(
  { principalId, userId, inputId, status }: InputListRequest,
  parameters: SqlParameters,
): Selection['branches'] {
  if (userId === undefined && inputId === undefined && status === undefined) return ['i.record_id = r.id'];
  // Nobody but the record's principal submits to its history through this service.
  const users =
    userId === undefined
      ? [`${parameters.add(principalId)}::text`, `''`]
      : [`${parameters.add(userId)}::text`];
  const name = inputId === undefined ? undefined : `${parameters.add(inputId)}::text`;
  const [first, ...others] = (status === undefined ? inputStatuses : [status]).flatMap((each) =>
    users.map((user) => {
      const key = `r.id || ' ${each} ' || ${user}`;
      if (name === undefined) return `${inputKeys.status('i.')} = ${key}`;
      return `${inputKeys.name('i.')} = ${key} || ' ' || left(${name}, 64) and i.input_id = ${name}`;
    }),
  );
  if (first === undefined) throw new Error('There is no status.');
  return [first, ...others];
}

type ListedInput = InputRow & { rank: number };

/** A record without inputs gives one row of nulls. */
type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

function isPresent(row: Nullable<ListedInput>): row is ListedInput {
  return row.id !== null;
}
