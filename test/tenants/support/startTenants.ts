import { setTimeout as delay } from 'node:timers/promises';
import { agreementLimits } from '../../../src/api/agreements/checkDeployment.ts';
import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import { limitShape } from '../../../src/platform/config/limits.ts';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/log/createLogger.ts';
import { createKey } from '../../../src/records/principals/apiKeys.ts';
import { setEntitlement } from '../../../src/records/principals/entitlements.ts';
import { createPrincipal } from '../../../src/records/principals/principals.ts';
import type { LongRunParts } from '../../support/longRun.ts';
import { startMailServer } from '../../support/mailServer.ts';
import { startRunning } from '../../support/runningProcess.ts';
import { createServiceStack, type ServiceStack } from '../../support/serviceStack.ts';
import { createSingleCallClient } from '../../support/singleCalls.ts';
import type { OnClose } from '../../support/withClosings.ts';
import { readOperations } from './apiOperations.ts';
import { generateRequests } from './generateRequests.ts';
import { generateToolCalls } from './generateToolCalls.ts';
import { startProbed } from './probedProcess.ts';
import { listTargets } from './targets.ts';
import { buildWorstDocuments } from './worstDocuments.ts';
import { listWorstRequests } from './worstRequests.ts';
import { createWorstScene } from './worstScene.ts';
import { createWorstWorld } from './worstWorld.ts';

/** A whole service with a hostile principal that owns large data, and the principal's worst requests. */
export async function startTenants(run: LongRunParts, onClose: OnClose) {
  const limits = limitShape.parse({});
  const mailServer = await startMailServer({ onTaken: () => delay(mailMs) });
  onClose(mailServer.close);
  const internalPort = String(await findFreePort());
  const stack = await createServiceStack({
    databaseUrl: run.databaseUrl,
    wallets,
    env: {
      WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8',
      SMTP_URL: mailServer.smtpUrl,
      MAIL_FROM: 'service@example.org',
      // One failed attempt is a slow webhook, not a lost one.
      WEBHOOK_BACKOFF_SECONDS: '1',
      RELAYER_POLL_MS: '250',
      CONSISTENCY_WAIT_MS: '200',
      // Keeps the wait for an adopted agreement that cannot be folded short.
      DEPLOY_WAIT_MS: '1000',
      WORKER_INTERNAL_PORT: internalPort,
    },
  });
  onClose(stack.close);
  const onStart = (child: { kill(): Promise<unknown> }) => onClose(() => child.kill());
  const [api, worker] = await Promise.all([
    startProbed(stack, { kind: 'api', onStart }),
    startProbed(stack, { kind: 'worker', onStart }),
    startRunning(stack, { kind: 'indexer', onStart }),
  ]);
  await stack.awaitReady();
  run.onProgress('everything runs');
  const { baseUrl } = api;
  const [apiKey = '', neighbourKey = '', adopterKey = '', ...otherKeys] = await createKeys(stack, [
    'hostile',
    'neighbour',
    'adopter',
    ...Array.from({ length: others }, (_, at) => `other ${at}`),
  ]);
  const ofAgreement = agreementLimits(limits);
  const world = await createWorstWorld(stack, {
    ...{ baseUrl, apiKey, limits: ofAgreement },
    valueBytes: limits.allValuesBytes / 2,
    inputs: 40,
  });
  const { id: webhookId } = await world.client.webhooks.create({ url: 'http://127.0.0.1:9/hook' });
  const documents = buildWorstDocuments(ofAgreement);
  const { scene, signed, linkSecret } = await createWorstScene(stack, {
    ...{ baseUrl, apiKey, world, limits },
    otherKey: adopterKey,
  });
  run.onProgress('the hostile principal has what its requests are about');
  const { operations, schemas } = readOperations(await (await fetch(`${baseUrl}/v0/openapi.json`)).json());
  const generation = { ...scene, schemas };
  const { tools, requests: calls } = await generateToolCalls({ baseUrl, apiKey }, generation);
  const generated = operations.flatMap((operation) => generateRequests(operation, generation));
  const handMade = listWorstRequests({ world, limits, documents, chainId: stack.chainId, webhookId });
  // Requests that end something come after all requests about it.
  const requests = [...handMade, ...generated, ...calls, ...signed].toSorted(
    (one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'),
  );
  const targets = listTargets({ operations, tools, requests });
  const adopter = {
    client: createSingleCallClient({ baseUrl, apiKey: adopterKey }),
    metricsUrl: `http://127.0.0.1:${internalPort}/metrics`,
  };
  return {
    limits,
    stack,
    api,
    worker,
    apiKey,
    neighbourKey,
    adopter,
    world,
    requests,
    targets,
    otherKeys,
    linkSecret,
    webhookId,
  };
}

const wallets = 2;
/** Imitates a slow mail server. */
const mailMs = 200;
/** The number of principals who own nothing. */
const others = 32;

/** Keys of new principals who may do everything. */
async function createKeys({ databaseUrl: url }: ServiceStack, names: readonly string[]): Promise<string[]> {
  const logger = createLogger({ level: 'silent', name: 'test' });
  const handle = createDatabase({ url, applicationName: 'test', maxConnections: 1, logger });
  try {
    const keys: string[] = [];
    for (const name of names) {
      const { id } = await createPrincipal(handle.database, name);
      await setEntitlement(handle.database, { principal: id, scope: '*', mode: 'free_allowlist' });
      keys.push((await createKey(handle.database, { principal: id, environment: 'testnet' })).key);
    }
    return keys;
  } finally {
    await handle.close();
  }
}
