import pg from 'pg';
import type { Logger } from 'pino';
import { indexViewsSchemaName } from '../../platform/database/indexNames.ts';
import { forgetOwner } from './ownerFence.ts';
import { readServedSchemas } from './servedSchemas.ts';
import { nameSessions, schemaLockKey, sessionName } from './sessions.ts';
import { long, withClient } from './withClient.ts';

type PruneOptions = { databaseUrl: string; schema: string; logger: Logger };

/**
 * Drops the indexes of earlier code and settings, once the views show this one. An index that another indexer
 * uses, or stands by for, is kept.
 */
export function pruneWhenServed({ intervalMs, ...options }: PruneOptions & { intervalMs: number }): void {
  const look = async () => {
    const isDone = await prune(options).catch((error: unknown) => {
      options.logger.debug({ err: error }, 'failed to look for earlier indexes');
      return false;
    });
    if (!isDone) setTimeout(look, intervalMs).unref();
  };
  setTimeout(look, intervalMs).unref();
}

/** Returns false while it has to wait: until the views show only `schema`, or until other indexers let go. */
async function prune({ databaseUrl, schema, logger }: PruneOptions): Promise<boolean> {
  const session = { connectionString: nameSessions(databaseUrl, sessionName(schema, 'pruning')) };
  return withClient(session, async (client) => {
    const served = await readServedSchemas(client);
    if (served.length !== 1 || served[0] !== schema) return false;
    let isDone = true;
    for (const earlier of await findEarlier(client, schema)) {
      if (await dropUnused(client, earlier)) logger.info({ schema: earlier }, 'dropped an earlier index');
      else {
        logger.info({ schema: earlier }, 'another indexer works on an earlier index');
        isDone = false;
      }
    }
    return isDone;
  });
}

async function findEarlier(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select nspname as name from pg_namespace where nspname ~ $1 and nspname <> $2 order by nspname',
    [`^${indexViewsSchemaName}_[0-9a-f]{12}$`, schema],
  );
  return rows.map(({ name }) => name);
}

async function dropUnused(client: pg.Client, schema: string): Promise<boolean> {
  const key = [schemaLockKey(schema)];
  const attempt = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', key);
  if (attempt.rows[0]?.held !== true) return false;
  try {
    await client.query(long(`drop schema ${pg.escapeIdentifier(schema)} cascade`));
    await forgetOwner(client, schema);
    return true;
  } finally {
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', key);
  }
}
