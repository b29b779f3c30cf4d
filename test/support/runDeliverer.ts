import pino from 'pino';
import { readWebhookSettings } from '../../src/platform/config/webhookSettings.ts';
import { createDatabase } from '../../src/platform/database/database.ts';
import { createCipher } from '../../src/platform/encryption/cipher.ts';
import { createTargetRules } from '../../src/records/webhooks/targetRules.ts';
import { createDeliverer } from '../../src/worker/deliverer/deliverer.ts';
import { testEncryptionKey } from './testEncryptionKey.ts';

const [databaseUrl = '', leaseMs = ''] = process.argv.slice(2);
const logger = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
const { pool } = createDatabase({
  url: databaseUrl,
  applicationName: 'deliverer',
  maxConnections: 4,
  logger,
});
const deliverer = await createDeliverer({
  pool,
  databaseUrl,
  cipher: createCipher([testEncryptionKey]),
  settings: readWebhookSettings({}),
  profile: 'default',
  rules: createTargetRules({ allowed: ['127.0.0.0/8'] }),
  logger,
  pollMs: 100,
  leaseMs: Number(leaseMs),
});
await deliverer.ready;
process.send?.('ready');
