import { orderKeyOf, stateLists, unsettledStates } from '../../platform/database/tables/transactions.ts';

/**
 * The order of rows in the outbox. The inputs of one agreement keep their order, whoever signed them, because
 * each depends on the state after the one before. A signer's deployments at one factory keep theirs, because
 * their nonces are consecutive. The order is that of acceptance, which is also that of a signer's nonces. All
 * functions return SQL over aliases of `service.transactions`.
 */

/**
 * Rows of an order key in the named states; `key` is the key without its state. Uses only the index over the
 * key. One state in the order of the index leads to a scan that skips entries of rows that have moved on, of
 * which there are many.
 */
function isOfKey(row: string, key: string, states: readonly (typeof unsettledStates)[number][]): string {
  const keys = states.map((state) => `'${state}' || ${key}`);
  return `(${orderKeyOf(`${row}.`)}) in (${keys.join(', ')}) and ${row}.state in (${stateLists.unsettled})`;
}

/** The order key of a row, without a state. */
export const sharedKeyOf = (row: string) => orderKeyOf(row, "''");
const keyOf = (row: string) => `(${sharedKeyOf(`${row}.`)})`;

/** A select over the rows whose effects can depend on this row's, without final and failed ones. */
export function relatedTo(row: string): string {
  return `(
    select * from service.transactions related
    where ${isOfKey('related', keyOf(row), unsettledStates)} and related.id <> ${row}.id offset 0)`;
}

/**
 * Whether the row comes before the other one. A signer's later nonce comes before no earlier one: a permit that is
 * signed anew for the nonce of a failed one is accepted after permits that had followed that one.
 */
export function isBefore(row: string, other: string): string {
  return `(${row}.created_at, ${row}.id) < (${other}.created_at, ${other}.id)
    and not (${row}.signer = ${other}.signer and ${row}.permit_nonce > ${other}.permit_nonce)`;
}

/**
 * The nearest accepted rows before this one, up to the limit, without those that `isPassedBy` names as
 * `earlier`.
 */
export function acceptedBefore(
  row: string,
  { isPassedBy, limit }: { isPassedBy: string; limit: string },
): string {
  return `
    select earlier.* from service.transactions earlier
    where ${isOfKey('earlier', keyOf(row), ['accepted'])} and ${isBefore('earlier', row)} and not (${isPassedBy})
    order by earlier.created_at desc, earlier.id desc limit ${limit}`;
}

/** The nearest accepted rows of an order key, oldest first. */
export function acceptedOf(key: string, limit: string): string {
  return `
    select waiting.* from service.transactions waiting
    where ${isOfKey('waiting', key, ['accepted'])}
    order by waiting.created_at, waiting.id limit ${limit}`;
}

/**
 * The only wallet that may sign the accepted rows of an order key: null if any may, empty if none may.
 * Transactions of two wallets could be mined in any order. So the rows wait for what one wallet has under
 * way, and if two wallets have some, for all of it. Mined rows that fall out come back in order only from one
 * wallet. So the rows stay with that wallet as long as it works, its signer does not rest, it has the money, and it is
 * not in `full` (an array of wallets at their limit).
 */
export function keeperOf(
  key: string,
  { chainId, gasEstimate, full }: Record<'chainId' | 'gasEstimate' | 'full', string>,
): string {
  const walletOf = (state: 'signed' | 'broadcast', whose = '') => `(
      select sent.wallet from service.transactions sent
      where ${isOfKey('sent', key, [state])} ${whose}
      order by sent.created_at, sent.id limit 1)`;
  const others = 'and sent.wallet <> sending.wallet';
  return `coalesce((
      select case when coalesce(${walletOf('signed', others)}, ${walletOf('broadcast', others)}) is null then sending.wallet else '' end
      from (select coalesce(${walletOf('signed')}, ${walletOf('broadcast')}) as wallet offset 0) as sending
      where sending.wallet is not null), (
      select newest.wallet from (
        select mined.wallet from service.transactions mined
        where ${isOfKey('mined', key, ['mined'])} and mined.wallet is not null
        order by mined.created_at desc, mined.id desc limit 1) as newest
      join service.relayer_wallets keeper on keeper.chain_id = ${chainId} and keeper.address = newest.wallet
      where newest.wallet <> all(${full}) and keeper.status = 'active' and keeper.lease_until > now()
        and keeper.payable_gas >= coalesce(${gasEstimate}, 0) offset 0))`;
}

/**
 * Whether an input's agreement exists at the target address. A reorg may have removed its deployment or moved
 * it to another address, and a call to an address without code succeeds without any effect.
 */
export function isTargetThere(row: string): string {
  return `(${row}.kind <> 'input' or not exists (
      select 1 from service.inputs waiting where waiting.transaction_id = ${row}.id offset 0)
    or exists (
      select 1 from service.inputs waiting join service.records record on record.id = waiting.record_id
      where waiting.transaction_id = ${row}.id and record.status = 'Deployed' and record.address = ${row}.contract offset 0))`;
}
