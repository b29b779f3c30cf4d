import { pgSchema } from 'drizzle-orm/pg-core';

/** Where the tables of the service live; the index has schemas of its own. */
export const serviceSchemaName = 'service';
export const serviceSchema = pgSchema(serviceSchemaName);
