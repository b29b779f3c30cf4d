/** Ponder looks for its tables in this folder; the real file is at the top level. */
export * from '../../../ponder.schema.ts';
