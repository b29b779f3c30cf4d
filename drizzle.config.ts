import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: ['./src/platform/database/schema.ts', './src/platform/database/tables/*.ts'],
  out: './src/platform/database/migrations',
  casing: 'snake_case',
  schemaFilter: ['service'],
  migrations: { schema: 'service', table: 'migrations' },
});
