import { orderKeyOf } from '../../platform/database/tables/transactions.ts';

/**
 * What has to keep its order in the outbox: the inputs of one agreement, whoever signed them, as each depends on the state that the
 * one before it leaves; and of a factory the deployments of one signer, whose nonces follow each other. The order is that of
 * acceptance, which is also that of a signer's nonces. All functions give SQL over aliases of
 * `service.transactions`.
 */

/** The states of rows whose effects others can still depend on; in this form they are those of the index over the key. */
const unsettledStates = ['accepted', 'signed', 'broadcast', 'mined'] as const;

/** Rows whose effects can depend on that of the other one, in the states that are named. By the index over the key, and no other one. */
function isRelated(row: string, other: string, states: readonly (typeof unsettledStates)[number][]): string {
  const keys = states.map((state) => `(${orderKeyOf(`${other}.`, `'${state}'`)})`);
  const unsettled = unsettledStates.map((state) => `'${state}'`).join(', ');
  return `(${orderKeyOf(`${row}.`)}) in (${keys.join(', ')}) and ${row}.state in (${unsettled})`;
}

/** The rows, but for those that are final or failed, whose effects can depend on that of this one, to be selected from. */
export function relatedTo(row: string): string {
  return `(
    select * from service.transactions related
    where ${isRelated('related', row, unsettledStates)} and related.id <> ${row}.id offset 0)`;
}

/** Whether the row comes before the other one. */
export function isBefore(row: string, other: string): string {
  return `(${row}.created_at, ${row}.id) < (${other}.created_at, ${other}.id)`;
}

/**
 * The nearest accepted rows that come before this one, but for those that `isPassedBy` names as `earlier`, and no more of them than the
 * limit.
 */
export function acceptedBefore(
  row: string,
  { isPassedBy, limit }: { isPassedBy: string; limit: string },
): string {
  return `
    select earlier.* from service.transactions earlier
    where ${isRelated('earlier', row, ['accepted'])} and ${isBefore('earlier', row)} and not (${isPassedBy})
    order by earlier.created_at desc, earlier.id desc limit ${limit}`;
}

/**
 * Whether a wallet may sign an accepted row as far as related rows go. What is on its way in another wallet could be mined in any
 * order with it, so the row waits for that. What is mined and can fall out comes back in order only from one wallet, which is kept
 * to as long as it works and has the money.
 */
export function isFreeFor(row: string, wallet: string): string {
  return `not exists (
      select 1 from service.transactions elsewhere
      where ${isRelated('elsewhere', row, ['signed', 'broadcast'])} and elsewhere.wallet <> ${wallet} offset 0)
    and not exists (
      select 1 from (
        select mined.wallet from service.transactions mined
        where ${isRelated('mined', row, ['mined'])} and mined.wallet is not null
        order by mined.created_at desc, mined.id desc limit 1) as newest
      join service.relayer_wallets keeper on keeper.chain_id = ${row}.chain_id and keeper.address = newest.wallet
      where newest.wallet <> ${wallet} and keeper.status = 'active' and keeper.lease_until > now()
        and coalesce(keeper.payable_gas >= ${row}.gas_estimate, true) offset 0)`;
}

/**
 * Whether the agreement of an input stands where the input is to be sent: a reorganisation may have taken its deployment out, or
 * moved it to another address, and a call of an address without code succeeds without any effect.
 */
export function isTargetThere(row: string): string {
  return `(${row}.kind <> 'input' or not exists (
      select 1 from service.inputs waiting where waiting.transaction_id = ${row}.id offset 0)
    or exists (
      select 1 from service.inputs waiting join service.records record on record.id = waiting.record_id
      where waiting.transaction_id = ${row}.id and record.status = 'Deployed' and record.address = ${row}.contract offset 0))`;
}
