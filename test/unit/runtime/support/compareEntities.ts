import { useQuickEntity } from '../../../../src/indexer/runtime/useQuickEntity.ts';

/** Prints whether Drizzle, and what Ponder takes of it, asks the index's own `is`. */
useQuickEntity();
const { is: quick } = await import('../../../../src/indexer/runtime/drizzleEntity.ts');
const { is, Param, sql } = await import('drizzle-orm');
const { PgDialect } = await import('drizzle-orm/pg-core');
const query = new PgDialect().sqlToQuery(sql`select ${new Param(1)}`);
console.log(JSON.stringify({ isQuick: Object.is(is, quick), query }));
