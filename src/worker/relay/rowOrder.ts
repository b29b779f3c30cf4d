import { orderKeyOf, stateLists, unsettledStates } from '../../platform/database/tables/transactions.ts';

/**
 * What has to keep its order in the outbox: the inputs of one agreement, whoever signed them, as each depends on the state that the
 * one before it leaves; and of a factory the deployments of one signer, whose nonces follow each other. The order is that of
 * acceptance, which is also that of a signer's nonces. All functions give SQL over aliases of
 * `service.transactions`.
 */

/**
 * Rows of an order key, which `key` gives without its state, in the states that are named. By the index over the key, and no other one.
 * One state and the order of the index lead to a scan that forgets entries of rows that have moved on: there are many of these.
 */
function isOfKey(row: string, key: string, states: readonly (typeof unsettledStates)[number][]): string {
  const keys = states.map((state) => `'${state}' || ${key}`);
  return `(${orderKeyOf(`${row}.`)}) in (${keys.join(', ')}) and ${row}.state in (${stateLists.unsettled})`;
}

/** What rows that keep their order have in common, without a state. */
export const sharedKeyOf = (row: string) => orderKeyOf(row, "''");
const keyOf = (row: string) => `(${sharedKeyOf(`${row}.`)})`;

/** The rows, but for those that are final or failed, whose effects can depend on that of this one, to be selected from. */
export function relatedTo(row: string): string {
  return `(
    select * from service.transactions related
    where ${isOfKey('related', keyOf(row), unsettledStates)} and related.id <> ${row}.id offset 0)`;
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
 * The wallet that alone may sign the accepted rows of an order key: null where any may, empty where none may. What is on its way in a
 * wallet could be mined in any order with what another one sends, so the rows wait for that, and for all of it where two wallets have
 * some. What is mined and can fall out comes back in order only from one wallet, which is kept to as long as it works, has the money,
 * and is not among those that have as much under way as they may (`full`, an array).
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
        and coalesce(keeper.payable_gas >= ${gasEstimate}, true) offset 0))`;
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
