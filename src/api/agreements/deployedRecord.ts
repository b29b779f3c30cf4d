import type pg from 'pg';
import type { Address } from 'viem';
import type { WireValues } from '../../protocol/index.ts';
import { RefusedError } from '../errors/serviceError.ts';
import { queryOwned, type RecordReference } from './recordReference.ts';

/** A record whose agreement takes inputs. */
export type DeployedRecord = {
  readonly id: string;
  readonly chainId: number;
  readonly address: Address;
  readonly agreement: unknown;
  /** The effective values. */
  readonly variables: WireValues;
};

type Row = {
  id: string;
  status: 'Draft' | 'Deployed';
  chain_id: number;
  address: Address | null;
  document: string;
  variables: WireValues;
};

const columns = 'r.id, r.status, r.chain_id, r.address, r.document, r.variables';

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
  const [row] = await queryOwned<Row>(pool, { reference, principalId, query: { columns } });
  const { id, status, chain_id: chainId, address, document, variables } = row;
  if (address && status === 'Deployed')
    return { id, chainId, address, agreement: JSON.parse(document), variables };
  throw new RefusedError('not_deployed', 'The agreement is not deployed yet.', { facts: { status } });
}
