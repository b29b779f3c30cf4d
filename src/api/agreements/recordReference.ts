import type pg from 'pg';
import { type Address, getAddress, isAddress } from 'viem';
import { readTogether } from '../../platform/database/readTogether.ts';
import type { RowAs, RowOf } from '../../platform/database/rowOf.ts';
import type { Parameter } from '../../platform/database/runPrepared.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { ForeignResourceError, MalformedError, NotFoundError } from '../../platform/errors/serviceError.ts';

/**
 * How a path identifies a record: by its id, or by its agreement's address, with a chain if the address is
 * ambiguous.
 */
export type RecordReference = { readonly id: string; readonly chainId?: number | undefined };

const recordIdPattern = /^agr_[0-9a-z]{1,64}$/;

/** A query for one record, for each way to identify it. */
export type OwnedQuery = {
  readonly parameters: readonly Parameter[];
  readonly byId: string;
  readonly byIdOnChain: string;
  readonly byAddress: string;
  readonly byAddressOnChain: string;
};

/**
 * Writes a query for `queryOwned`.
 *
 * @param columns may use `r` for the record.
 * @param joins joins and lateral queries after `from service.records r`; may give several rows of one record.
 * @param parameters what `columns` and `joins` name by `$1` and so on.
 */
export function buildOwnedQuery({
  columns,
  joins = '',
  parameters = [],
}: {
  columns: string;
  joins?: string;
  parameters?: readonly Parameter[];
}): OwnedQuery {
  const place = (index: number) => `$${parameters.length + index}`;
  const select = `select r.id as owned_id, ${columns} from service.records r ${joins}`;
  const byId = `${select} where r.id = ${place(1)} and r.principal_id = ${place(2)}`;
  const byAddress = `${select} where r.address = ${place(1)} and r.principal_id = ${place(2)}`;
  return {
    parameters,
    byId,
    byIdOnChain: `${byId} and r.chain_id = ${place(3)}`,
    byAddress,
    byAddressOnChain: `${byAddress} and r.chain_id = ${place(3)}`,
  };
}

/**
 * Runs a query for the record that a principal refers to, in one statement. Ids and addresses differ by form.
 *
 * @throws NotFoundError if there is no such record, and for an address also if it is another principal's.
 * @throws ForeignResourceError for the id of another principal's record.
 * @throws MalformedError for an address that the principal holds on several chains, with no chain named.
 */
export async function queryOwned<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  { reference, principalId, query }: { reference: RecordReference; principalId: string; query: OwnedQuery },
): Promise<[Row, ...Row[]]> {
  const { id, chainId } = reference;
  const isId = recordIdPattern.test(id);
  const named = [isId ? id : getAgreementAddress(id), principalId];
  const [anywhere, onChain] = isId
    ? [query.byId, query.byIdOnChain]
    : [query.byAddress, query.byAddressOnChain];
  const rows =
    chainId === undefined
      ? await readTogether<Row & Owned>(pool, anywhere, [...query.parameters, ...named])
      : await readTogether<Row & Owned>(pool, onChain, [...query.parameters, ...named, chainId]);
  const [first, ...others] = rows;
  if (!first) throw isId ? await explainAbsence(pool, { id, principalId }) : notFound();
  if (others.some((row) => row.owned_id !== first.owned_id)) {
    const message = 'is required because the address is known on several chains';
    throw new MalformedError('The address is ambiguous.', {
      field: 'chainId',
      issues: [{ path: 'chainId', message }],
    });
  }
  return [first, ...others];
}

type Owned = RowAs<typeof records, { owned_id: 'id' }>;

/** A separate query that reads only the owner, so that response time does not reveal whether the id exists. */
async function explainAbsence(
  pool: pg.Pool,
  { id, principalId }: { id: string; principalId: string },
): Promise<NotFoundError | ForeignResourceError> {
  const text = 'select principal_id from service.records where id = $1';
  const [row] = await readTogether<RowOf<typeof records, 'principal_id'>>(pool, text, [id]);
  if (!row || row.principal_id === principalId) return notFound();
  return new ForeignResourceError('The agreement belongs to another principal.');
}

/** @throws NotFoundError if the text is not an address. */
function getAgreementAddress(text: string): Address {
  const lowerCase = text.toLowerCase();
  if (!isAddress(lowerCase)) throw notFound();
  return getAddress(lowerCase);
}

function notFound(): NotFoundError {
  return new NotFoundError('The agreement does not exist.');
}
