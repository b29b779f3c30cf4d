/** The schema of the views that Ponder keeps in front of the live deployment; that of a deployment itself begins with the same. */
export const indexViewsSchemaName = 'chain_index';
/** Ponder notifies here after every indexed block. */
export const indexChannel = `${indexViewsSchemaName}_live_query`;
/** The views that the service reads. */
export const indexViewNames = [
  'actions',
  'agreements',
  'blocks',
  'definitions',
  'heads',
  'inputs',
  'permit_counts',
  'verifiers',
];

/** Where indexers keep what they know of each other and of their chains, beside their indexes. */
export const indexerSchemaName = 'indexer';
