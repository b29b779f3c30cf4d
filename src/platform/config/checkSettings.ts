import { type Configuration, readConfiguration } from './configuration.ts';
import { ConfigurationError } from './configurationError.ts';
import { readConsoleSettings } from './consoleSettings.ts';
import { readEncryptionKeys } from './encryptionKeys.ts';
import { readIndexerServer } from './indexerServerSettings.ts';
import { readInternalServer } from './internalServerSettings.ts';
import { readMailSettings } from './mailSettings.ts';
import { readPruneInterval } from './pruneInterval.ts';
import { readRelayerSigners } from './relayerSigners.ts';
import { readRelaySettings } from './relaySettings.ts';
import { readRetentionSettings } from './retentionSettings.ts';
import { readRuleSettings } from './ruleSettings.ts';
import { readTraceSettings } from './traceSettings.ts';
import { readWebhookSettings } from './webhookSettings.ts';

/**
 * Reads every process's settings, so that all faults are reported at once before anything starts. Secrets are
 * read and dropped.
 *
 * @throws ConfigurationError naming every variable that is wrong.
 */
export function checkSettings(env: NodeJS.ProcessEnv): Configuration {
  const problems: string[] = [];
  const configuration = collect(() => readConfiguration(env), problems);
  const chains = configuration?.chains ?? [];
  const readings = [
    () => readRelayerSigners(env, chains),
    () => readRelaySettings(env, chains),
    () => readIndexerServer(env),
    () => readInternalServer(env, 'INTERNAL_PORT'),
    () => readInternalServer(env, 'WORKER_INTERNAL_PORT'),
    () => readConsoleSettings(env),
    () => readEncryptionKeys(env),
    () => readPruneInterval(env),
    () => readMailSettings(env),
    () => readRetentionSettings(env),
    () => readRuleSettings(env),
    () => readWebhookSettings(env),
    () => readTraceSettings(env),
  ];
  for (const read of readings) collect<unknown>(read, problems);
  if (!configuration || problems.length > 0) throw new ConfigurationError(problems);
  return configuration;
}

function collect<T>(read: () => T, problems: string[]): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}
