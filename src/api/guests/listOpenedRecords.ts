import { and, type Column, desc, eq, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { records } from '../../platform/database/tables/records.ts';
import { recordWallets } from '../../platform/database/tables/wallets.ts';
import { finishNewest, parseStart, writePosition } from '../../platform/lists/selectNewest.ts';
import type { Services } from '../../records/agreements/services.ts';
import type { OfferedInputs } from './offeredInputs.ts';

/**
 * Whether the record's principal may read it, as `findMode` finds it. A subquery looks each record up by its key; the
 * planner would make a join of whole tables.
 */
const isReadable = (recordId: Column) => sql`(
  select (
    select mode from service.entitlements where principal_id = ${records.principalId}
      and scope in ('agreements.read', 'agreements.*', '*')
    order by array_position(array['agreements.read', 'agreements.*', '*'], scope) limit 1)
  from ${records} where ${records.id} = ${recordId}) = 'free_allowlist'`;

/** The most entries of a wallet that a page looks at: anybody may name it, also in very many records that are left out. */
const mostLookedAt = 1_000;

/**
 * A page of the records that name a wallet and let their participants in, of all principals, newest first;
 * with each, the inputs that the wallet can submit now. Records of principals that may not read them
 * themselves are left out, so that a page may be short, or empty, before the end of the list.
 *
 * @throws MalformedError for a cursor of another list.
 */
export async function listOpenedRecords(
  { database }: Pick<Services, 'database'>,
  offeredInputs: OfferedInputs,
  { wallet, limit, cursor }: { wallet: Address; limit: number; cursor?: string | undefined },
) {
  const { createdAt, recordId } = recordWallets;
  const list = ['agreements of a wallet', wallet];
  const start = parseStart(list, cursor);
  const own = wallet.toLowerCase();
  // The condition compares rows, and has no lower bound: the planner follows the index, at most into another wallet's entries.
  const [key, value] = [sql`${recordWallets.wallet}`, sql`(select ${own}::text)`];
  const selectEntries = () =>
    database
      .select({ wallet: recordWallets.wallet, createdAt, id: recordId })
      .from(recordWallets)
      .where(
        start ? sql`(${key}, ${createdAt}, ${recordId}) < (${value}, ${start})` : sql`(${key}) <= (${value})`,
      )
      .orderBy(desc(recordWallets.wallet), desc(createdAt), desc(recordId));
  const [last] = await selectEntries()
    .offset(mostLookedAt - 1)
    .limit(1);
  const end = last?.wallet === own ? last : undefined;
  // Entries that others have added meanwhile come in addition.
  const looked = selectEntries()
    .limit(2 * mostLookedAt)
    .as('looked');
  const shown = database
    .select({ createdAt: looked.createdAt, id: looked.id })
    .from(looked)
    .where(
      and(
        sql`${looked.wallet} = ${own}`,
        end && sql`(${looked.createdAt}, ${looked.id}) >= (${writePosition(end)})`,
        isReadable(looked.id),
      ),
    )
    .orderBy(desc(looked.createdAt), desc(looked.id))
    .limit(limit + 1)
    .as('shown');
  const rows = await database
    .select({
      id: records.id,
      createdAt: shown.createdAt,
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
    .from(shown)
    .innerJoin(records, eq(records.id, shown.id))
    .orderBy(desc(shown.createdAt), desc(shown.id))
    .limit(limit + 1);
  const { page, ...rest } = finishNewest(list, rows, { limit, cursor, end });
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
