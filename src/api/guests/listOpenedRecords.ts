import { and, eq, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { records } from '../../platform/database/tables/records.ts';
import { recordWallets } from '../../platform/database/tables/wallets.ts';
import { selectNewest } from '../../platform/lists/selectNewest.ts';
import type { Services } from '../../records/agreements/services.ts';
import type { OfferedInputs } from './offeredInputs.ts';

/** The mode of the record's principal for reading, as `findMode` finds it. */
const readingMode = sql`(
  select mode from service.entitlements where principal_id = ${records.principalId}
    and scope in ('agreements.read', 'agreements.*', '*')
  order by array_position(array['agreements.read', 'agreements.*', '*'], scope) limit 1)`;

/**
 * A page of the records that name a wallet and let their participants in, of all principals, newest first;
 * with each, the inputs that the wallet can submit now. Records of principals that may not read them
 * themselves are left out.
 *
 * @throws MalformedError for a cursor of another list.
 */
export async function listOpenedRecords(
  { database }: Pick<Services, 'database'>,
  offeredInputs: OfferedInputs,
  { wallet, limit, cursor }: { wallet: Address; limit: number; cursor?: string | undefined },
) {
  const { createdAt, recordId } = recordWallets;
  const query = database
    .select({
      id: recordId,
      createdAt,
      address: records.address,
      chainId: records.chainId,
      displayName: records.displayName,
      status: records.status,
      state: records.state,
      access: records.participantAccess,
      owner: records.owner,
      awaitsOwner: records.awaitsOwner,
      docHash: records.docHash,
      updatedAt: records.updatedAt,
    })
    .from(recordWallets)
    .innerJoin(records, eq(records.id, recordId));
  const { page, ...rest } = await selectNewest(query, {
    list: ['agreements of a wallet', wallet],
    of: { createdAt, id: recordId },
    where: and(
      sql`${recordWallets.wallet} = ${wallet.toLowerCase()}`,
      sql`${readingMode} = 'free_allowlist'`,
    ),
    limit,
    cursor,
  });
  const places = page.flatMap(({ id: recordId, docHash, status, state, access }) =>
    status === 'Deployed' && state !== null && access === 'sign' ? [{ recordId, docHash, state }] : [],
  );
  const inputsOf = await offeredInputs.list(places, wallet);
  const items = page.map((row) => {
    const { id, status, state, access } = row;
    const may = access === 'sign' ? 'sign' : 'read';
    return {
      id,
      address: row.address ?? undefined,
      chainId: row.chainId,
      displayName: row.displayName,
      status,
      state: status === 'Deployed' && state !== null ? state : undefined,
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
      may,
      awaitsSignature: may === 'sign' && row.awaitsOwner && row.owner === wallet,
      inputs: inputsOf.get(id) ?? [],
    };
  });
  return { items, ...rest };
}
