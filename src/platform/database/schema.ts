import { pgSchema } from 'drizzle-orm/pg-core';

/** The schema of the service's tables; the index has its own schemas. */
export const serviceSchemaName = 'service';
export const serviceSchema = pgSchema(serviceSchemaName);
