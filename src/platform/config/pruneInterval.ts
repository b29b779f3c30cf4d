import { ConfigurationError } from './configurationError.ts';

const defaultSeconds = 30;

/**
 * How often the indexer looks for indexes of earlier code and settings to drop, in milliseconds. Undefined if
 * `INDEX_PRUNE_SECONDS` is 0, which keeps them all.
 *
 * @throws ConfigurationError naming the variable.
 */
export function readPruneInterval(env: NodeJS.ProcessEnv): number | undefined {
  const text = env.INDEX_PRUNE_SECONDS || String(defaultSeconds);
  if (!/^\d{1,6}$/.test(text)) {
    throw new ConfigurationError(['INDEX_PRUNE_SECONDS: expected whole seconds, or 0 to keep all indexes']);
  }
  return Number(text) * 1_000 || undefined;
}
