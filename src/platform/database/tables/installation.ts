import { text } from 'drizzle-orm/pg-core';
import { bytes, instant } from '../columns.ts';
import { serviceSchema } from '../schema.ts';

/** Secrets that this installation generated, one row each. The first process decides the value for good. */
export const installationSecrets = serviceSchema.table('installation_secrets', {
  name: text().primaryKey(),
  /** Random bytes. */
  value: bytes().notNull(),
  createdAt: instant().notNull().defaultNow(),
});
