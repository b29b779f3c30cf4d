import { findChain } from '../../protocol/chains.ts';
import { createChainAccess } from '../chain/clients.ts';
import { readConfiguration } from '../config/configuration.ts';
import { ConfigurationError } from '../config/configurationError.ts';
import { readEncryptionKeys } from '../config/encryptionKeys.ts';
import { readInternalServer } from '../config/internalServer.ts';
import { readMailSettings } from '../config/mailSettings.ts';
import { readRelayerSigners } from '../config/relayerSigners.ts';
import { readRelaySettings } from '../config/relaySettings.ts';
import { readRuleSettings } from '../config/ruleSettings.ts';
import { loadSecretFiles } from '../config/secretFiles.ts';
import { readTraceSettings } from '../config/traceSettings.ts';
import { readWebhookSettings } from '../config/webhookSettings.ts';
import { createDatabase } from '../database/database.ts';
import { migrateDatabase } from '../database/migrateDatabase.ts';
import { openCipher } from '../encryption/openCipher.ts';
import { createJobs } from '../jobs/createJobs.ts';
import { createLogger } from '../log/createLogger.ts';
import { listSecrets } from '../log/listSecrets.ts';
import { createMetrics } from '../operations/metrics.ts';
import { createProjector } from '../projector/projector.ts';
import { createRelay } from '../relay/relay.ts';
import { createMailer } from '../rules/createMailer.ts';
import { sendMailName } from '../rules/mailTask.ts';
import { createRuleRunner } from '../rules/ruleRunner.ts';
import { createSendMail } from '../rules/sendMail.ts';
import { openSigners } from '../signers/openSigners.ts';
import { startTracing } from '../tracing/startTracing.ts';
import { createDeliverer } from '../webhooks/deliverer.ts';
import { createTargetRules } from '../webhooks/targetRules.ts';
import { databasePatienceMs } from './databasePatience.ts';
import { startInternalServer } from './internalServer.ts';
import { type Closing, runService } from './runService.ts';

const relayConnections = 20;
const deliveryConnections = 4;
const jobConcurrency = 2;
const jobOwnConnections = 2;

/** The worker: sends what was accepted, folds what the index shows into records, does what rules say to it, and delivers events. */
function readWorker(env: NodeJS.ProcessEnv) {
  const { databaseUrl, chains, limits, clientProfile, logLevel } = readConfiguration(env);
  const signers = readRelayerSigners(env, chains);
  const settings = readRelaySettings(env, chains);
  const mailSettings = readMailSettings(env);
  const ruleSettings = readRuleSettings(env);
  const webhookSettings = readWebhookSettings(env);
  const encryptionKeys = readEncryptionKeys(env);
  const internal = readInternalServer(env, 'WORKER_INTERNAL_PORT');
  const traceSettings = readTraceSettings(env);
  const logger = createLogger({
    level: logLevel,
    name: 'worker',
    secrets: [...listSecrets(env), ...signers.secrets],
  });
  const start = async (onClose: (closing: Closing) => void) => {
    const tracing = await startTracing(traceSettings, { process: 'worker', logger });
    onClose({ name: 'traces', close: tracing.close });
    await migrateDatabase(databaseUrl, { patienceMs: databasePatienceMs, logger });
    const connect = (part: string, maxConnections: number) => {
      const applicationName = `agreements ${part}`;
      const database = createDatabase({ url: databaseUrl, applicationName, maxConnections, logger });
      onClose({ name: `database of the ${part}`, close: database.close });
      return database.pool;
    };
    const access = createChainAccess(chains, limits);
    let isStopping = false;
    const metrics = createMetrics({ chains });
    if (internal) {
      const operations = {
        settings: internal,
        databaseUrl,
        chains,
        describeEndpoints: access.describe,
        isStopping: () => isStopping,
        logger,
      };
      const server = await startInternalServer({ ...operations, metrics });
      if (server) onClose({ name: 'internal server', close: server.close });
    }
    // However busy the relay is, there is a connection for each chain to be folded.
    const projector = createProjector({
      pool: connect('projector', chains.length),
      databaseUrl,
      chains: chains.map(({ chainId, confirmations }) => ({
        chainId,
        confirmations,
        reorgWindow: reorgWindowOf(chainId),
      })),
      onReorganisation: metrics.noteReorganisation,
      logger,
    });
    onClose({ name: 'projector', close: projector.close });
    const rules = createRuleRunner({
      pool: connect('rules', chains.length),
      databaseUrl,
      chains,
      clients: access.clients,
      idleMs: ruleSettings.idleMs,
      onFired: ({ firings }) => metrics.noteTemporalFirings(firings),
      logger,
    });
    onClose({ name: 'rules', close: rules.close });
    const jobs = createDatabase({
      url: databaseUrl,
      applicationName: 'agreements jobs',
      maxConnections: jobConcurrency + jobOwnConnections,
      logger,
    });
    onClose({ name: 'database of the jobs', close: jobs.close });
    const { close: closeJobs } = createJobs({
      pool: jobs.pool,
      tasks: {
        [sendMailName]: createSendMail({
          database: jobs.database,
          mailer: mailSettings && createMailer(mailSettings),
          onMail: metrics.noteMail,
          logger,
        }),
      },
      concurrency: jobConcurrency,
      logger,
    });
    onClose({ name: 'jobs', close: closeJobs });
    const deliveries = createDatabase({
      url: databaseUrl,
      applicationName: 'agreements deliveries',
      maxConnections: deliveryConnections,
      logger,
    });
    onClose({ name: 'database of the deliveries', close: deliveries.close });
    const deliverer = await createDeliverer({
      pool: deliveries.pool,
      databaseUrl,
      cipher: await openCipher({ database: deliveries.database, keys: encryptionKeys, logger }),
      settings: webhookSettings,
      profile: clientProfile,
      rules: createTargetRules({ allowed: webhookSettings.allowedTargets }),
      onAttempt: metrics.noteAttempt,
      logger,
    });
    onClose({ name: 'deliveries', close: deliverer.close });
    const stop = new AbortController();
    onClose({ name: 'signers', close: () => stop.abort() });
    const relay = createRelay({
      pool: connect('relay', relayConnections),
      databaseUrl,
      chains,
      signers: openSigners(signers.byChain, { stop: stop.signal, logger }),
      settings,
      access,
      logger,
    });
    onClose({ name: 'relay', close: relay.close });
    onClose({
      name: 'readiness',
      close: () => {
        isStopping = true;
      },
    });
  };
  return { logger, start };
}

/** The last block that the indexer takes for final lies one to two of its windows behind the head. */
function reorgWindowOf(chainId: number): number {
  const chain = findChain(chainId);
  if (!chain) throw new Error(`the chain ${chainId} is not in the registry`);
  return 2 * chain.finalityBlocks;
}

try {
  loadSecretFiles(process.env);
  runService(readWorker(process.env));
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
