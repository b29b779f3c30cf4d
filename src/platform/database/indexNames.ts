/** The schema of Ponder's views over the live deployment. The schemas of deployments begin with the same name. */
export const indexViewsSchemaName = 'chain_index';
/** Ponder notifies here after every indexed block. */
export const indexChannel = `${indexViewsSchemaName}_live_query`;
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

/** Where indexers store what they know about each other and their chains, apart from their indexes. */
export const indexerSchemaName = 'indexer';
