import type pg from 'pg';
import { indexViewsSchemaName } from '../../platform/database/indexNames.ts';
import { nameSessions, sessionName } from './sessions.ts';
import { withClient } from './withClient.ts';

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
  const session = { connectionString: nameSessions(databaseUrl, sessionName(schema, 'chains')) };
  const [served, other] = await withClient(session, readServedSchemas);
  return other === undefined ? served : undefined;
}
