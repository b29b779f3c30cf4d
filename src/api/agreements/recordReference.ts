import type pg from 'pg';
import { type Address, getAddress, isAddress } from 'viem';
import type { Parameter } from '../database/parameter.ts';
import { runPrepared } from '../database/runPrepared.ts';
import { AccessError, MalformedError, NotFoundError } from '../errors/serviceError.ts';
import { SqlParameters } from './sqlParameters.ts';

/** How a path names a record: by its id, or by the address of its agreement, on a chain where that alone is ambiguous. */
export type RecordReference = { readonly id: string; readonly chainId?: number | undefined };

const recordIdPattern = /^agr_[0-9a-z]{1,64}$/;

/** A query for one record; `columns` may use `r` for the record. */
export type OwnedQuery = {
  readonly columns: string;
  /** Joins and lateral queries after `from service.records r`; may give several rows of one record. */
  readonly joins?: string;
  readonly parameters?: readonly Parameter[];
};

/**
 * Runs a query for the record that a principal refers to, in one statement. An id is told from an address by its form.
 *
 * @throws NotFoundError where there is none, and for an address also where it is another principal's.
 * @throws AccessError `forbidden` for the id of another principal's record.
 * @throws MalformedError for an address that the principal holds on several chains, with no chain named.
 */
export async function queryOwned<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  { reference, principalId, query }: { reference: RecordReference; principalId: string; query: OwnedQuery },
): Promise<[Row, ...Row[]]> {
  const { id, chainId } = reference;
  const address = recordIdPattern.test(id) ? undefined : getAgreementAddress(id);
  const { columns, joins = '', parameters: own = [] } = query;
  const parameters = new SqlParameters();
  for (const parameter of own) parameters.add(parameter);
  const conditions = [
    ...(address
      ? [`r.address = ${parameters.add(address)}`, `r.principal_id = ${parameters.add(principalId)}`]
      : [`r.id = ${parameters.add(id)}`]),
    ...(chainId === undefined ? [] : [`r.chain_id = ${parameters.add(chainId)}`]),
  ];
  const text = `select r.id as owned_id, r.principal_id as owner_id, ${columns}
    from service.records r ${joins} where ${conditions.join(' and ')}`;
  const rows = await runPrepared<Row & Owner>(pool, text, parameters.values);
  const [first, ...others] = rows;
  if (!first) throw notFound();
  if (first.owner_id !== principalId)
    throw new AccessError('forbidden', 'The agreement belongs to another principal.');
  if (others.some((row) => row.owned_id !== first.owned_id)) {
    const message = 'is needed: the address is known on several chains';
    throw new MalformedError('The address is ambiguous.', {
      field: 'chainId',
      issues: [{ path: 'chainId', message }],
    });
  }
  return [first, ...others];
}

type Owner = { owned_id: string; owner_id: string };

/** @throws NotFoundError for what is no address. */
function getAgreementAddress(text: string): Address {
  const lowerCase = text.toLowerCase();
  if (!isAddress(lowerCase)) throw notFound();
  return getAddress(lowerCase);
}

function notFound(): NotFoundError {
  return new NotFoundError('There is no such agreement.');
}
