import { reorgWindowOf } from '../../platform/config/chainDefaults.ts';
import { readConfiguration } from '../../platform/config/configuration.ts';
import { ConfigurationError } from '../../platform/config/configurationError.ts';
import { readEncryptionKeys } from '../../platform/config/encryptionKeys.ts';
import { readInternalServer } from '../../platform/config/internalServerSettings.ts';
import { readMailSettings } from '../../platform/config/mailSettings.ts';
import { readRelayerSigners } from '../../platform/config/relayerSigners.ts';
import { readRelaySettings } from '../../platform/config/relaySettings.ts';
import { loadSecretFiles } from '../../platform/config/secretFiles.ts';
import { readTraceSettings } from '../../platform/config/traceSettings.ts';
import { warnOfUnreadSettings } from '../../platform/config/unreadSettings.ts';
import { readWebhookSettings } from '../../platform/config/webhookSettings.ts';
import { readRetentionSettings, readRuleSettings } from '../../platform/config/workerSettings.ts';
import { createDatabase } from '../../platform/database/database.ts';
import { databasePatienceMs } from '../../platform/database/databasePatience.ts';
import { migrateDatabase } from '../../platform/database/migrateDatabase.ts';
import { openCipher } from '../../platform/encryption/openCipher.ts';
import { createJobs } from '../../platform/jobs/createJobs.ts';
import { createLogger } from '../../platform/log/createLogger.ts';
import { listSecrets } from '../../platform/log/listSecrets.ts';
import { createChainAccess } from '../../platform/nodes/clients.ts';
import { startInternalServer } from '../../platform/operations/internalServer.ts';
import { createMetrics } from '../../platform/operations/metrics.ts';
import { openSigners } from '../../platform/signers/openSigners.ts';
import { type Closing, runService } from '../../platform/supervision/runService.ts';
import { startTracing } from '../../platform/tracing/startTracing.ts';
import { createTargetRules } from '../../records/webhooks/targetRules.ts';
import { createDeliverer } from '../../worker/deliverer/deliverer.ts';
import { createMailer } from '../../worker/notifier/createMailer.ts';
import { sendMailName } from '../../worker/notifier/mailTask.ts';
import { createRuleRunner } from '../../worker/notifier/ruleRunner.ts';
import { createSendMail } from '../../worker/notifier/sendMail.ts';
import { createProjector } from '../../worker/projector/projector.ts';
import { createRelay } from '../../worker/relay/relay.ts';
import { createRetention } from '../../worker/retention/retention.ts';

const relayConnections = 20;
const deliveryConnections = 4;
const jobConcurrency = 2;
const jobOwnConnections = 2;

/** The worker: sends accepted transactions, folds the index into records, fires rules, and delivers events. */
function readWorker(env: NodeJS.ProcessEnv) {
  const { databaseUrl, chains, limits, clientProfile, logLevel } = readConfiguration(env);
  const signers = readRelayerSigners(env, chains);
  const settings = readRelaySettings(env, chains);
  const mailSettings = readMailSettings(env);
  const ruleSettings = readRuleSettings(env);
  const { keptDays } = readRetentionSettings(env);
  const webhookSettings = readWebhookSettings(env);
  const encryptionKeys = readEncryptionKeys(env);
  const internal = readInternalServer(env, 'WORKER_INTERNAL_PORT');
  const traceSettings = readTraceSettings(env);
  const logger = createLogger({
    level: logLevel,
    name: 'worker',
    secrets: [...listSecrets(env), ...signers.secrets],
  });
  warnOfUnreadSettings(env, { chains, logger });
  const start = async (onClose: (closing: Closing) => void) => {
    const tracing = await startTracing(traceSettings, { process: 'worker', logger });
    onClose({ name: 'traces', close: tracing.close });
    await migrateDatabase(databaseUrl, { patienceMs: databasePatienceMs, logger });
    const connect = (
      part: string,
      maxConnections: number,
      plans: { plansOnce?: boolean; plansByIndexes?: boolean } = {},
    ) => {
      const applicationName = `agreements ${part}`;
      const database = createDatabase({
        url: databaseUrl,
        applicationName,
        maxConnections,
        ...plans,
        logger,
      });
      onClose({ name: `database of the ${part}`, close: database.close });
      return database;
    };
    const access = createChainAccess(chains, limits, logger);
    onClose({ name: 'heights of the nodes', close: access.watchHeights().close });
    let isStopping = false;
    const metrics = createMetrics({ chains });
    if (internal) {
      const operations = {
        settings: internal,
        databaseUrl,
        chains,
        access,
        isStopping: () => isStopping,
        logger,
      };
      const server = await startInternalServer({ ...operations, metrics });
      if (server) onClose({ name: 'internal server', close: server.close });
    }
    // However busy the relay is, there is a connection for each chain's fold.
    const projector = createProjector({
      pool: connect('projector', chains.length).pool,
      databaseUrl,
      chains: chains.map(({ chainId, confirmations }) => ({
        chainId,
        confirmations,
        reorgWindow: reorgWindowOf(chainId),
      })),
      keptDays,
      onReorganisation: metrics.noteReorganisation,
      onOmitted: metrics.noteOmitted,
      logger,
    });
    onClose({ name: 'projector', close: projector.close });
    const rules = createRuleRunner({
      pool: connect('rules', chains.length).pool,
      databaseUrl,
      chains,
      clients: access.clients,
      idleMs: ruleSettings.idleMs,
      onFired: ({ firings }) => metrics.noteTemporalFirings(firings),
      logger,
    });
    onClose({ name: 'rules', close: rules.close });
    const jobs = connect('jobs', jobConcurrency + jobOwnConnections);
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
    if (keptDays !== null) {
      const retention = createRetention({
        pool: jobs.pool,
        keptDays,
        onRemoved: metrics.noteRemoved,
        logger,
      });
      onClose({ name: 'retention', close: retention.close });
    }
    const deliveries = connect('deliveries', deliveryConnections, { plansByIndexes: true });
    const deliverer = await createDeliverer({
      pool: deliveries.pool,
      databaseUrl,
      cipher: await openCipher({ database: deliveries.database, keys: encryptionKeys, logger }),
      settings: webhookSettings,
      profile: clientProfile,
      rules: createTargetRules({ allowed: webhookSettings.allowedTargets }),
      onAttempt: metrics.noteAttempt,
      onUnsigned: metrics.noteUnsigned,
      logger,
    });
    onClose({ name: 'deliveries', close: deliverer.close });
    const stop = new AbortController();
    onClose({ name: 'signers', close: () => stop.abort() });
    const relay = createRelay({
      pool: connect('relay', relayConnections, { plansOnce: true }).pool,
      databaseUrl,
      chains,
      signers: openSigners(signers.byChain, { stop: stop.signal, logger }),
      settings,
      access,
      onReverted: metrics.noteAdmission,
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

try {
  loadSecretFiles(process.env);
  runService(readWorker(process.env));
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
