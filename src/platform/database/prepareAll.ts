import type pg from 'pg';
import { createStatementNames } from './statementNames.ts';

const nameStatement = createStatementNames('built');

/**
 * Lets the database parse and plan each statement of a connection once. Statements that read the index are excluded:
 * its views differ between deployments, and a plan must not outlive the types of its columns.
 */
export function prepareAll(client: pg.PoolClient, exceptOf: string): pg.PoolClient {
  const query = (config: pg.QueryConfig, values?: unknown[]) => {
    const isNamed = config.name !== undefined || config.text.includes(exceptOf);
    const name = isNamed ? undefined : nameStatement(config.text);
    return client.query(name === undefined ? config : { ...config, name }, values);
  };
  return new Proxy(client, {
    get: (target, property) => (property === 'query' ? query : Reflect.get(target, property, target)),
  });
}
