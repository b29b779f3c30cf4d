import type pg from 'pg';
import { BaseError, type PublicClient } from 'viem';
import { isIndexAbsent } from '../../platform/database/indexAbsence.ts';
import { indexViewsSchemaName as index } from '../../platform/database/indexNames.ts';
import type { indexedBlocks } from '../../platform/database/indexView.ts';
import type { NotNull, OrNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import type { transactions } from '../../platform/database/tables/transactions.ts';
import type { AdmissionRace, CountedAdmission } from '../../platform/operations/metrics.ts';

const mostInputs = 1_000;

/**
 * The inputs in the index since the admission, each with its outbox row. A row that a node admitted without
 * the index has no position; then the time decides. A failed predecessor that was sent again since is a later row.
 */
const statement = `
  select tx.admission, exists (
      select 1 from service.transactions earlier where (earlier.state = 'failed' or earlier.created_at > tx.created_at)
        and earlier.id in (select json_array_elements_text(coalesce(tx.admission->'after', '[]')))) as has_failed, (
      select block.hash from ${index}.blocks block
      where block.chain_id = tx.chain_id and block.number = (tx.admission->>'blockNumber')::numeric) as block_hash, (
      select coalesce(json_agg(json_build_object('id', own.id, 'isLater', coalesce(shown.block_number > $2::numeric, false)) order by shown.position), '[]') from (
        select * from ${index}.inputs shown
        where shown.chain_id = tx.chain_id and shown.agreement = lower(tx.contract)
          and case when tx.admission->>'position' is null then shown.block_timestamp >= extract(epoch from tx.created_at)::bigint
            else shown.position > (tx.admission->>'position')::int end
        order by shown.position limit ${mostInputs}) as shown
      left join service.transactions own on own.chain_id = shown.chain_id and lower(own.contract) = shown.agreement
        and lower(own.signer) = shown.permit_signer and own.permit_nonce = shown.permit_nonce and own.state <> 'failed') as since
  from service.transactions tx where tx.id = $1 and tx.admission is not null`;

type Row = NotNull<RowOf<typeof transactions, 'admission'>> &
  OrNull<RowAs<typeof indexedBlocks, { block_hash: 'hash' }>> & {
    has_failed: boolean;
    since: (OrNull<RowOf<typeof transactions, 'id'>> & { isLater: boolean })[];
  };

/**
 * What explains that an admitted input reverts: an event since its admission. `none` is a false admission.
 * Undefined for rows without a stored admission, such as deployments. `blockNumber` is the block in which it reverted, if
 * it was sent. Undefined also if nothing explains it and no node tells now whether the block of its admission is still there.
 */
export async function explainRevert(
  { pool, client }: { pool: pg.Pool; client: PublicClient },
  { id, blockNumber }: { id: string; blockNumber: bigint | undefined },
): Promise<CountedAdmission | undefined> {
  try {
    const { rows } = await pool.query<Row>(statement, [id, blockNumber]);
    const [row] = rows;
    if (!row) return undefined;
    const found = findRace(row);
    const isLost = await hasLostBlock(client, row.admission);
    if (isLost === undefined && found === 'none') return undefined;
    return { by: row.admission.by, outcome: 'reverted', race: isLost ? 'reorganisation' : found };
  } catch (error) {
    if (isIndexAbsent(error)) return undefined;
    throw error;
  }
}

/**
 * Whether the latest block of the node that admitted it is gone; undefined if no node tells. The index has no row of a block
 * without events.
 */
async function hasLostBlock(
  client: PublicClient,
  { by, blockNumber, blockHash }: Row['admission'],
): Promise<boolean | undefined> {
  if (by !== 'node' || blockNumber === undefined || blockHash === undefined) return false;
  try {
    return (await client.getBlock({ blockNumber: BigInt(blockNumber) })).hash !== blockHash;
  } catch (error) {
    if (error instanceof BaseError) return undefined;
    throw error;
  }
}

function findRace({ admission, since, ...row }: Row): AdmissionRace {
  const after = new Set(admission.after ?? []);
  if (admission.by !== 'node' && admission.blockHash !== undefined && row.block_hash !== admission.blockHash)
    return 'reorganisation';
  if (since.some(({ id }) => id === null)) return 'foreign';
  if (since.some(({ id }) => id !== null && !after.has(id))) return 'concurrent';
  if (row.has_failed) return 'predecessor';
  // What was mined in its order and fell out with its blocks may come back in another one.
  if (since.some(({ id, isLater }, at) => isLater || id !== admission.after?.[at])) return 'reorganisation';
  return admission.isExternal ? 'external' : 'none';
}
