import type pg from 'pg';
import { nameStatement } from './runPrepared.ts';

/**
 * The same connection, on which the database parses and plans each statement once. Not those that read the index: its views are
 * others for each deployment, and a plan may not outlive the types of its columns.
 */
export function prepareAll(client: pg.PoolClient, exceptOf: string): pg.PoolClient {
  const query = (config: pg.QueryConfig, values?: unknown[]) =>
    client.query(
      config.name === undefined && !config.text.includes(exceptOf)
        ? { ...config, ...nameStatement(config.text) }
        : config,
      values,
    );
  return new Proxy(client, {
    get: (target, property) => (property === 'query' ? query : Reflect.get(target, property, target)),
  });
}
