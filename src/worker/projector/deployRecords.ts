import { type SQL, sql } from 'drizzle-orm';
import { getAddress } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import type { indexedAgreements } from '../../platform/database/indexView.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf, idsOf, recordsOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { displaceWaiting, type Place } from '../../records/agreements/displacedRecords.ts';
import { maxDocUri } from '../../records/agreements/maxDocUri.ts';
import { isSameAgreement, permitCreationSql } from '../../records/agreements/sameAgreement.ts';
import { exchangeWaiting } from './exchangeWaiting.ts';
import { findFailures } from './findFailures.ts';
import { failureOf, secondsOf } from './projectedColumns.ts';
import { type Quarantined, setAside, setFree, tryApart } from './quarantineRecord.ts';
import { takeFitting } from './takeFitting.ts';

type DeploymentRow = RowOf<typeof records, 'id' | 'principal_id' | 'chain_id' | 'doc_hash'> &
  RowOf<
    typeof indexedAgreements,
    'address' | 'owner' | 'doc_uri' | 'transaction_hash' | 'block_number' | 'block_timestamp'
  > &
  Pick<Place, 'permit_creation'> &
  NotNull<RowOf<typeof indexedAgreements, 'initial_state'>> & {
    /** Whether it is in quarantine, and due for a retry. */
    was_set_aside: boolean;
    /** Another record of the same principal that has this agreement, or waits for it. */
    rival: string | null;
  };

const deployment = sql`record.id, record.principal_id, record.chain_id, record.doc_hash, shown.address, shown.owner, shown.doc_uri,
  shown.initial_state, shown.transaction_hash, shown.block_number::text, shown.block_timestamp::text,
  ${sql.raw(permitCreationSql('shown'))} as permit_creation, record.id in (select record_id from service.quarantined_records) as was_set_aside, (
    select rival.id from service.records rival
    where rival.chain_id = record.chain_id and lower(rival.address) = shown.address
      and rival.principal_id = record.principal_id and rival.id <> record.id
      and (rival.status = 'Deployed' or ${sql.raw(isSameAgreement('rival', 'shown'))})) as rival`;

export type Drafts = {
  chainId: number;
  /** The blocks being folded. */
  added: readonly bigint[];
  changedTransactions: readonly string[];
  through: bigint;
  /** Whether to check more than these blocks: others may have stored records after the blocks were folded. */
  isWhole: boolean;
  /** Each on its own, because a fold of all together has failed. */
  isApart: boolean;
};

/**
 * Makes a Draft a Deployed record if the index shows its agreement: as the effect of its permit, or at the
 * requested address. Returns the records that are now Deployed, without any input, and all changed records.
 * Drafts that do not fit into this fold wait for the next one.
 */
export async function deployRecords(
  transaction: Queryable,
  drafts: Drafts,
): Promise<{ deployed: string[]; changed: string[]; quarantined: Quarantined[]; isComplete: boolean }> {
  const exchanged = await exchangeWaiting(transaction, drafts);
  const { rows } = await transaction.execute<DeploymentRow>(findDeployments(drafts));
  const free = rows.filter(({ rival }) => rival === null);
  const held = rows.filter(({ rival }) => rival !== null);
  const { fitting, others } = await takeFitting(
    transaction,
    free.map(({ id }) => id),
  );
  const taken = new Set(fitting);
  const { deployed, displaced, quarantined } = await markAllDeployed(transaction, {
    rows: free.filter(({ id }) => taken.has(id)),
    ...drafts,
  });
  const cleared = await clearErrors(transaction, drafts);
  const refused = held.length > 0 ? await refuseDeployments(transaction, held) : [];
  const failed = await noteErrors(transaction, drafts);
  const changed = [...exchanged, ...deployed, ...displaced, ...cleared, ...refused, ...failed];
  return { deployed, changed, quarantined, isComplete: others.length === 0 };
}

/**
 * Begins with the few Drafts that wait, and looks everything else up by its key. `offset 0` keeps the planner from another
 * order, in which it would read all records or all agreements of the chain while its statistics show few of them.
 */
function findDeployments({ chainId, changedTransactions, through }: Drafts): SQL {
  // Few records are in quarantine at any time.
  const isOpen = sql`record.id not in (select record_id from service.quarantined_records where retry_at > clock_timestamp())`;
  const isAwaited = sql`chain_id = ${chainId} and status = 'Draft' and error is null and not awaits_owner`;
  const shownWhere = (condition: SQL) => sql`
    select * from chain_index.agreements shown
    where shown.chain_id = ${chainId} and ${condition}
      and shown.block_number <= ${through} and shown.initial_state is not null offset 0`;
  return sql`
    select ${deployment}
    from (
      select id from service.records where ${isAwaited}
      union select id from service.records where deploy_transaction_id = any(${arrayOf(changedTransactions)}::text[])
    ) as wanted
    cross join lateral (select * from service.records where id = wanted.id offset 0) as record
    cross join lateral (
      select * from service.transactions where id = record.deploy_transaction_id and state in ('mined', 'final') offset 0) as sent
    cross join lateral (${shownWhere(sql`shown.factory = lower(sent.contract)
      and shown.permit_signer = lower(sent.signer) and shown.permit_nonce = sent.permit_nonce`)}) as shown
    where record.chain_id = ${chainId} and record.status = 'Draft' and ${isOpen}
    union all
    select ${deployment}
    from (select * from service.records where ${isAwaited} and deploy_transaction_id is null offset 0) as record
    cross join lateral (${shownWhere(sql`shown.address = lower(record.address)`)}) as shown
    where ${sql.raw(isSameAgreement('record', 'shown'))} and ${isOpen}`;
}

async function markAllDeployed(
  transaction: Queryable,
  { rows, chainId, isApart }: Drafts & { rows: readonly DeploymentRow[] },
): Promise<{ deployed: string[]; displaced: string[]; quarantined: Quarantined[] }> {
  const [apart, together] = [true, false].map((wanted) =>
    rows.filter(({ was_set_aside }) => (isApart || was_set_aside) === wanted),
  );
  const displaced: string[] = [];
  const deploy = async (some: readonly DeploymentRow[]) => {
    const places = some.map((row) => ({ ...row, address: getAddress(row.address) }));
    const waiting = await displaceWaiting(transaction, places);
    const marked = await markDeployed(transaction, some);
    displaced.push(...waiting);
    return marked;
  };
  const deployed = together?.length ? await deploy(together) : [];
  const quarantined: Quarantined[] = [];
  for (const row of apart ?? []) {
    const error = await tryApart(transaction, () => deploy([row]));
    if (error === undefined) deployed.push(row.id);
    else quarantined.push({ recordId: row.id, phase: 'deploy', error });
  }
  for (const failed of quarantined) await setAside(transaction, { chainId, ...failed });
  await setFree(transaction, deployed);
  return { deployed, displaced, quarantined };
}

async function markDeployed(transaction: Queryable, rows: readonly DeploymentRow[]): Promise<string[]> {
  const checksummed = rows.map((row) => ({
    ...row,
    address: getAddress(row.address),
    owner: getAddress(row.owner),
    block_timestamp: secondsOf(BigInt(row.block_timestamp)),
  }));
  return idsOf(
    transaction,
    sql`update service.records record set status = 'Deployed', error = null, address = shown.address, owner = shown.owner,
      doc_uri = left(shown.doc_uri, ${maxDocUri}), initial_state_hash = shown.initial_state, deploy_tx_hash = shown.transaction_hash,
      deploy_block_number = shown.block_number,
      deployed_at = to_timestamp(shown.block_timestamp), updated_at = now()
    from ${recordsOf(checksummed)} as shown(id text, address text, owner text, doc_uri text, initial_state text,
      transaction_hash text, block_number bigint, block_timestamp double precision)
    where record.id = shown.id
    returning record.id`,
  );
}

/**
 * Removes a Draft's error once its transaction is open again or mined. Later folds do not find the Draft through its
 * transaction, but they check every Draft without an error.
 */
function clearErrors(transaction: Queryable, { changedTransactions }: Drafts): Promise<string[]> {
  return idsOf(
    transaction,
    // `|| ''` keeps the planner from an index over states. So it starts with the few records, whatever it estimates.
    sql`update service.records record set error = null, updated_at = now()
    from service.transactions sent
    where record.deploy_transaction_id = any(${arrayOf(changedTransactions)}::text[])
      and record.status = 'Draft' and record.error is not null
      and sent.id = record.deploy_transaction_id and sent.state || '' <> 'failed'
    returning record.id`,
  );
}

async function refuseDeployments(transaction: Queryable, rows: DeploymentRow[]): Promise<string[]> {
  const errors = rows.map(({ id, rival }) => ({
    id,
    error: JSON.stringify({
      reason: 'agreement_held',
      message: `The agreement of this deployment already has the record ${rival}.`,
    }),
  }));
  return writeErrors(transaction, errors);
}

/** A Draft shows why its transaction failed. */
async function noteErrors(transaction: Queryable, { chainId }: Drafts): Promise<string[]> {
  const failed = await findFailures(
    transaction,
    sql`select record.id, ${failureOf}
    from service.records record
    join service.transactions sent on sent.id = record.deploy_transaction_id and sent.state = 'failed'
    where record.chain_id = ${chainId} and record.status = 'Draft' and record.error is null and not record.awaits_owner`,
  );
  return failed.length > 0 ? writeErrors(transaction, failed) : [];
}

function writeErrors(transaction: Queryable, errors: { id: string; error: string }[]): Promise<string[]> {
  return idsOf(
    transaction,
    sql`update service.records record set error = failed.error::json, updated_at = now()
    from ${recordsOf(errors)} as failed(id text, error text)
    where record.id = failed.id
    returning record.id`,
  );
}
