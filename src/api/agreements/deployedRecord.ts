import type pg from 'pg';
import type { Address } from 'viem';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { NotFoundError, RefusedError } from '../../platform/errors/serviceError.ts';
import { noteReadBytes } from '../../platform/http/readCost.ts';
import type { WireValues } from '../../protocol/index.ts';
import { type FundedWallet, readWallet, type WalletColumns, walletQuery } from './findWallet.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from './recordReference.ts';

/** A record whose agreement takes inputs. */
export type DeployedRecord = {
  readonly id: string;
  readonly chainId: number;
  readonly address: Address;
  /** The document's text; undefined if it is large. */
  readonly document: string | undefined;
  readonly agreement: unknown;
  /** The effective values. */
  readonly variables: WireValues;
  /** The sender for simulations on the record's chain; undefined if no wallet can send now. */
  readonly wallet: FundedWallet | undefined;
};

export type DeployedReference = {
  readonly reference: RecordReference;
  readonly principalId: string;
  /** A document that has been parsed: it is not parsed again if it is the record's. */
  readonly parsed?: { readonly document: string; readonly agreement: unknown } | undefined;
  inPageTurn<Page extends object>(read: () => Promise<Page> | Page): Promise<Page>;
};

type Content = RowOf<typeof records, 'document' | 'variables'>;
/** One of a principal's records, without its content if that is large. */
type FoundRecord = (WalletColumns | { wallet: null }) &
  RowOf<typeof records, 'id' | 'status' | 'chain_id' | 'address'> & {
    bytes: number;
  } & (Content | { document: null; variables: null });

/** Bytes of a document with its values that are read in a turn. */
const largeBytes = 65_536;

const query = buildOwnedQuery({
  columns: `r.id, r.status, r.chain_id, r.address, sending.wallet, sending.payable_gas, size.bytes,
    case when size.bytes <= ${largeBytes} then r.document end as document,
    case when size.bytes <= ${largeBytes} then r.variables end as variables`,
  // Measured once, as large values are decompressed for it.
  joins: `left join lateral (${walletQuery('r.chain_id')}) as sending on true
    cross join lateral (select octet_length(r.document) + octet_length(r.variables::text) as bytes offset 0) as size`,
});
const contentQuery = 'select document, variables from service.records where id = $1';

/**
 * One of a principal's records, for an input to it.
 *
 * @param request.inPageTurn runs the read of a large record.
 * @throws RefusedError `not_deployed` for a Draft.
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does.
 */
export async function requireDeployed(
  pool: pg.Pool,
  { reference, principalId, parsed, inPageTurn }: DeployedReference,
): Promise<DeployedRecord> {
  const [row] = await queryOwned<FoundRecord>(pool, { reference, principalId, query });
  const { id, status, chain_id: chainId, address } = row;
  const wallet = row.wallet === null ? undefined : readWallet(row);
  if (!address || status !== 'Deployed')
    throw new RefusedError('not_deployed', 'The agreement is not deployed yet.', { facts: { status } });
  const { document } = row;
  if (document === null) {
    const content = await inPageTurn(async () =>
      noteReadBytes(parse(await readContent(pool, id)), row.bytes),
    );
    return { id, chainId, address, document: undefined, ...content, wallet };
  }
  const content =
    parsed?.document === document ? { agreement: parsed.agreement, variables: row.variables } : parse(row);
  return { id, chainId, address, document, ...content, wallet };
}

function parse({ document, variables }: Content): Pick<DeployedRecord, 'agreement' | 'variables'> {
  return { agreement: JSON.parse(document), variables };
}

async function readContent(pool: pg.Pool, id: string): Promise<Content> {
  const [row] = await runPrepared<Content>(pool, contentQuery, [id]);
  if (!row) throw new NotFoundError('The agreement does not exist.');
  return row;
}
