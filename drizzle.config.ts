import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: ['./src/api/database/schema.ts', './src/api/database/tables/*.ts'],
  out: './src/api/database/migrations',
  casing: 'snake_case',
  schemaFilter: ['service'],
  migrations: { schema: 'service', table: 'migrations' },
});
