import { z } from 'zod';
import { readSettings, variable } from './readSettings.ts';
import { port, wholeNumber } from './settingShapes.ts';

const serverShape = z.object({
  host: variable('INDEXER_HOST', z.string().default('127.0.0.1')),
  port: variable('INDEXER_PORT', port({ least: 1 }).default(42_069)),
});

/**
 * Where Ponder's own server listens (health, progress, metrics, and GraphQL for operators). It is not for the
 * public. If the port is taken, Ponder takes the next free one.
 *
 * @throws ConfigurationError naming every variable that is wrong.
 */
export function readIndexerServer(env: NodeJS.ProcessEnv): { host: string; port: number } {
  return readSettings(serverShape, env);
}

const pruneShape = z.object({
  seconds: variable(
    'INDEX_PRUNE_SECONDS',
    wholeNumber({ digits: 6, error: 'expected whole seconds, or 0 to keep all indexes' }).default(30),
  ),
});

/**
 * How often the indexer looks for indexes of earlier code and settings to drop, in milliseconds. Undefined if
 * `INDEX_PRUNE_SECONDS` is 0, which keeps them all.
 *
 * @throws ConfigurationError naming the variable.
 */
export function readPruneInterval(env: NodeJS.ProcessEnv): number | undefined {
  return readSettings(pruneShape, env).seconds * 1_000 || undefined;
}
