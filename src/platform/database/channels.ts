/**
 * What the processes tell each other through the database, in the same transaction as the change that it is about or right after
 * it. A notification may be missed, so whoever listens also looks from time to time.
 */
export const channels = {
  /** A transaction is there to be sent, again or for the first time. Payload: the chain's id. */
  outbox: 'outbox',
  /** A worker has let go of wallets. Payload: the chain's id. */
  walletsReleased: 'wallets_released',
  /** A transaction has another state. Payload: its id. */
  transactionChanged: 'transaction_changed',
  /** A record or its history has changed by what the index shows. Payload: the record's id. */
  recordChanged: 'record_changed',
  /** A record without a permit of its own waits for what the index shows at its address. Payload: the chain's id. */
  recordAwaited: 'record_awaited',
  /** Everything that the index shows of a chain up to another block is folded. Payload: the chain's id. */
  chainFolded: 'chain_folded',
  /** A subscription has deliveries to be attempted, or is another than before. Payload: its id. */
  deliveryDue: 'delivery_due',
  /** A delivery that somebody asked for by hand was attempted or failed. Payload: its id. */
  deliveryChanged: 'delivery_changed',
  /** Events of a principal were released. Payload: its id. */
  eventsReleased: 'events_released',
  /** The keys or entitlements of a principal have changed. Payload: its id. */
  accessChanged: 'access_changed',
} as const;
