/**
 * The notifications between processes, sent in the transaction of the change or right after it. A
 * notification may be lost, so listeners also poll.
 */
export const channels = {
  /** A transaction is ready to send, for the first time or again. Payload: the chain's id. */
  outbox: 'outbox',
  /** A worker has released wallets. Payload: the chain's id. */
  walletsReleased: 'wallets_released',
  /** A transaction has changed its state. Payload: its id. */
  transactionChanged: 'transaction_changed',
  /** A record or its history has changed because of the index. Payload: the record's id. */
  recordChanged: 'record_changed',
  /** A record without its own permit waits for the index to show its address. Payload: the chain's id. */
  recordAwaited: 'record_awaited',
  /** The index of a chain is folded up to a new block. Payload: the chain's id. */
  chainFolded: 'chain_folded',
  /** A subscription has deliveries to attempt, or has changed. Payload: its id. */
  deliveryDue: 'delivery_due',
  /** A delivery requested by hand was attempted or failed. Payload: its id. */
  deliveryChanged: 'delivery_changed',
  /** Events of a principal were released. Payload: its id. */
  eventsReleased: 'events_released',
  /** The keys or entitlements of a principal have changed. Payload: its id. */
  accessChanged: 'access_changed',
} as const;
