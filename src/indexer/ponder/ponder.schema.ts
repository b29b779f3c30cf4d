/** Ponder looks for its tables in this folder; the real ones stand at the top level. */
export * from '../../../ponder.schema.ts';
