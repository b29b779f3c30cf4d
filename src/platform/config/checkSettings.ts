import { type Configuration, readConfiguration, selectChains } from './configuration.ts';
import { ConfigurationError, collectProblems } from './configurationError.ts';
import { readConsoleSettings } from './consoleSettings.ts';
import { readEncryptionKeys } from './encryptionKeys.ts';
import { readIndexerServer, readPruneInterval } from './indexerSettings.ts';
import { readInternalServer } from './internalServerSettings.ts';
import { readMailSettings } from './mailSettings.ts';
import { readRelayerSigners } from './relayerSigners.ts';
import { readRelaySettings } from './relaySettings.ts';
import { readTraceSettings } from './traceSettings.ts';
import { readWebhookSettings } from './webhookSettings.ts';
import { readRetentionSettings, readRuleSettings } from './workerSettings.ts';

/**
 * Reads every process's settings, so that all faults are reported at once before anything starts. Secrets are
 * read and dropped.
 *
 * @throws ConfigurationError naming every variable that is wrong.
 */
export function checkSettings(env: NodeJS.ProcessEnv): Configuration {
  const problems: string[] = [];
  const configuration = collectProblems(problems, () => readConfiguration(env));
  const chains = configuration?.chains ?? selectChains(env);
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
  for (const read of readings) collectProblems<unknown>(problems, read);
  if (!configuration || problems.length > 0) throw new ConfigurationError(problems);
  return configuration;
}
