import pg from 'pg';
import { indexViewsSchemaName } from '../../platform/database/indexNames.ts';
import { nameSessions, sessionName } from './sessions.ts';

/** The schemas whose tables the views show: two for a moment, while the views are switched over. */
export async function readServedSchemas(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select distinct table_schema::text as name from information_schema.view_table_usage where view_schema = $1',
    [indexViewsSchemaName],
  );
  return rows.map(({ name }) => name);
}

/** The schema of the index that is served; undefined if there is none yet, or while the views are switched over. */
export async function findServedSchema(options: {
  databaseUrl: string;
  schema: string;
}): Promise<string | undefined> {
  const { databaseUrl, schema } = options;
  const client = new pg.Client({
    connectionString: nameSessions(databaseUrl, sessionName(schema, 'chains')),
  });
  // A connection that breaks fails its query.
  client.on('error', () => {});
  try {
    await client.connect();
    const [served, other] = await readServedSchemas(client);
    return other === undefined ? served : undefined;
  } finally {
    await client.end().catch(() => {});
  }
}
