import type pg from 'pg';
import type { Address } from 'viem';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import type { WireValues } from '../../protocol/index.ts';
import { type FundedWallet, readWallet, type WalletColumns, walletQuery } from './findWallet.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from './recordReference.ts';

/** A record whose agreement takes inputs. */
export type DeployedRecord = {
  readonly id: string;
  readonly chainId: number;
  readonly address: Address;
  readonly agreement: unknown;
  /** The effective values. */
  readonly variables: WireValues;
  /** The sender for simulations on the record's chain; undefined if no wallet can send now. */
  readonly wallet: FundedWallet | undefined;
};

type Row = (WalletColumns | { wallet: null }) &
  RowOf<typeof records, 'id' | 'status' | 'chain_id' | 'address' | 'document' | 'variables'>;

const query = buildOwnedQuery({
  columns:
    'r.id, r.status, r.chain_id, r.address, r.document, r.variables, sending.wallet, sending.payable_gas',
  joins: `left join lateral (${walletQuery('r.chain_id')}) as sending on true`,
});

/**
 * One of a principal's records, for an input to it.
 *
 * @throws RefusedError `not_deployed` for a Draft.
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does.
 */
export async function requireDeployed(
  pool: pg.Pool,
  { reference, principalId }: { reference: RecordReference; principalId: string },
): Promise<DeployedRecord> {
  const [row] = await queryOwned<Row>(pool, { reference, principalId, query });
  const { id, status, chain_id: chainId, address, document, variables } = row;
  const wallet = row.wallet === null ? undefined : readWallet(row);
  if (address && status === 'Deployed')
    return { id, chainId, address, agreement: JSON.parse(document), variables, wallet };
  throw new RefusedError('not_deployed', 'The agreement is not deployed yet.', { facts: { status } });
}
