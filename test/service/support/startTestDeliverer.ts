import { readWebhookSettings } from '../../../src/platform/config/webhookSettings.ts';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { createCipher } from '../../../src/platform/encryption/cipher.ts';
import { createLogger } from '../../../src/platform/log/createLogger.ts';
import { createTargetRules } from '../../../src/records/webhooks/targetRules.ts';
import { createDeliverer, type Deliverer } from '../../../src/worker/deliverer/deliverer.ts';
import { encryptionKey, type TestService } from './testService.ts';

const logger = createLogger({ level: 'silent', name: 'test' });

/** Delivers a service's webhooks as its workers do. */
export async function startTestDeliverer(
  { databaseUrl }: TestService,
  env: Readonly<Record<string, string>>,
): Promise<Deliverer> {
  const database = createDatabase({
    url: databaseUrl,
    applicationName: 'deliverer',
    maxConnections: 4,
    logger,
  });
  const settings = readWebhookSettings(env);
  const deliverer = await createDeliverer({
    pool: database.pool,
    databaseUrl,
    cipher: createCipher([Buffer.from(encryptionKey, 'hex')]),
    settings,
    profile: 'default',
    rules: createTargetRules({ allowed: settings.allowedTargets }),
    logger,
    pollMs: 50,
    leaseMs: 60_000,
  });
  await deliverer.ready;
  return {
    ready: deliverer.ready,
    async close() {
      await deliverer.close();
      await database.close();
    },
  };
}
