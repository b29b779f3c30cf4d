import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf, idsOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { findDisplaced, restoreDisplaced } from '../../records/agreements/displacedRecords.ts';
import { keepWallets } from '../../records/sharing/participantWallets.ts';
import { withdrawRules } from '../notifier/withdrawRules.ts';
import { withdrawEvents } from '../publisher/withdrawEvents.ts';
import { announcedThrough } from './announcedSince.ts';

/** What was retracted with the blocks, by id. */
export type Retraction = {
  /** Records whose deployment fell out; they are Drafts again. */
  undeployed: string[];
  /** Drafts that wait again at the addresses of undeployed records. */
  restored: string[];
  /** Records that still exist but lost inputs; their on-chain data are still the former ones. */
  shortened: string[];
  /** Transactions that are open again. */
  reopened: string[];
  /** Number of withdrawn events, and of released ones, which stay. */
  events: { withdrawn: number; released: number };
};

const nothing: Retraction = {
  undeployed: [],
  restored: [],
  shortened: [],
  reopened: [],
  events: { withdrawn: 0, released: 0 },
};

type Blocks = { chainId: number; numbers: readonly bigint[] };

/**
 * Undoes what was folded from the given blocks: the principal's own submissions wait again, inputs of others are
 * deleted, transactions without their effect are open again, and unreleased events are withdrawn.
 */
export async function retractBlocks(transaction: Queryable, blocks: Blocks): Promise<Retraction> {
  if (blocks.numbers.length === 0) return nothing;
  // No input comes before its deployment, so all inputs of undeployed records are in the given blocks.
  const { undeployed, restored } = await undeployRecords(transaction, blocks);
  const reopened = await reopenMined(transaction, blocks);
  reopened.push(...(await reopenSuperseded(transaction, blocks)));
  const changed = new Set([
    ...(await releaseInputs(transaction, blocks)),
    ...(await deleteInputs(transaction, blocks)),
  ]);
  const { chainId, numbers } = blocks;
  await transaction.execute(sql`
    delete from service.folded_blocks where chain_id = ${chainId} and number = any(${arrayOf(numbers)}::bigint[])`);
  const events = await withdrawEvents(transaction, blocks);
  await withdrawRules(transaction, blocks);
  const shortened = [...changed].filter((id) => !undeployed.includes(id));
  return { undeployed, restored, shortened, reopened, events };
}

type UndeployedRow = RowOf<
  typeof records,
  'id' | 'principal_id' | 'chain_id' | 'variables' | 'access_variables'
> &
  NotNull<RowOf<typeof records, 'address'>>;

async function undeployRecords(
  transaction: Queryable,
  { chainId, numbers }: Blocks,
): Promise<Pick<Retraction, 'undeployed' | 'restored'>> {
  const { rows } = await transaction.execute<UndeployedRow>(
    // Its permit may deploy it at another address. A record requested by address keeps waiting there for the same
    // agreement.
    sql`update service.records record set status = 'Draft',
      address = case when deploy_transaction_id is null then record.address end, variables = initial_variables,
      initial_state_hash = null, state_hash = null, state = null, state_block_number = null, state_updated_at = null,
      announced_through = ${announcedThrough},
      deploy_tx_hash = null, deploy_block_number = null, deployed_at = null, input_count = 0, transition_count = 0,
      last_input_id = null, last_input_at = null, behind = false, updated_at = now()
    from (
      select id, address from service.records
      where chain_id = ${chainId} and deploy_block_number = any(${arrayOf(numbers)}::bigint[])) as former
    where record.id = former.id
    returning record.id, principal_id, chain_id, variables, access_variables, former.address`,
  );
  // Wallets that a lost input has named may not enter any more.
  await keepWallets(
    transaction,
    rows.flatMap(({ id, variables, access_variables: accessVariables }) =>
      accessVariables ? [{ id, accessVariables, variables }] : [],
    ),
  );
  const left = rows.map(({ principal_id, chain_id, address }) => ({
    principal_id,
    chain_id,
    address,
  }));
  const restored = await restoreDisplaced(transaction, await findDisplaced(transaction, left));
  return { undeployed: rows.map(({ id }) => id), restored };
}

async function releaseInputs(transaction: Queryable, blocks: Blocks): Promise<string[]> {
  return idsOf(
    transaction,
    sql`update service.inputs input set status = 'PENDING', position = null, transaction_ordinal = null, sequence = null,
      block_number = null, from_state = null, to_state = null, submitter = null,
      tx_hash = sent.tx_hash, updated_at = now()
    from service.transactions sent
    where ${isIn(blocks)} and sent.id = input.transaction_id
    returning input.record_id as id`,
  );
}

async function deleteInputs(transaction: Queryable, blocks: Blocks): Promise<string[]> {
  return idsOf(
    transaction,
    sql`delete from service.inputs input where ${isIn(blocks)} and transaction_id is null
    returning record_id as id`,
  );
}

function isIn({ chainId, numbers }: Blocks): SQL {
  return sql`input.chain_id = ${chainId} and input.block_number = any(${arrayOf(numbers)}::bigint[])`;
}

/** The transaction's state before its effect; without a wallet no bytes of it are under way. */
const stateBefore = sql`case
  when sent.wallet is null then 'accepted'
  when exists (select 1 from service.transaction_attempts where transaction_id = sent.id and accepted_at is not null)
    then 'broadcast'
  else 'signed' end`;

/** The newest bytes under way. Without any, the hash that fell out stays, because it may come back. */
const newestHash = sql`coalesce((
  select tx_hash from service.transaction_attempts
  where transaction_id = sent.id and sent.wallet is not null order by id desc limit 1), sent.tx_hash)`;

async function reopenMined(transaction: Queryable, { chainId, numbers }: Blocks): Promise<string[]> {
  return idsOf(
    transaction,
    sql`update service.transactions sent set state = ${stateBefore}, mined_block_number = null, updated_at = now(),
      tx_hash = ${newestHash}
    where chain_id = ${chainId} and mined_block_number = any(${arrayOf(numbers)}::bigint[])
      and state in ('mined', 'final')
    returning id`,
  );
}

/** If the content that had used up a permit's nonce fell out, the permit can take effect again. */
async function reopenSuperseded(transaction: Queryable, { chainId, numbers }: Blocks): Promise<string[]> {
  return idsOf(
    transaction,
    sql`update service.transactions sent set state = ${stateBefore}, failure = null, mined_block_number = null,
      updated_at = now()
    where sent.id in (
      select distinct on (contract, signer, permit_nonce) id
      from service.transactions failed
      where chain_id = ${chainId} and mined_block_number = any(${arrayOf(numbers)}::bigint[]) and state = 'failed'
        and not exists (
          select 1 from service.transactions open
          where open.chain_id = failed.chain_id and open.contract = failed.contract and open.signer = failed.signer
            and open.permit_nonce = failed.permit_nonce and open.state <> 'failed')
      order by contract, signer, permit_nonce, created_at desc, id)
    returning id`,
  );
}
