import { z } from '@hono/zod-openapi';
import { expect, test } from 'vitest';
import { checkDeployment } from '../../../src/api/agreements/checkDeployment.ts';
import { deploymentMembers, refuseDeploymentBody } from '../../../src/api/shapes/deploymentBody.ts';
import { readConfiguration } from '../../../src/platform/config/configuration.ts';
import { RefusedError } from '../../../src/platform/errors/serviceError.ts';
import { buildLease } from '../../service/support/documents.ts';

const chainId = 59_141;
const { chains, limits } = readConfiguration({
  DATABASE_URL: 'postgres://127.0.0.1/none',
  ENVIRONMENT: 'testnet',
  CHAINS: String(chainId),
  [`RPC_URL_${chainId}`]: 'http://127.0.0.1:9',
  MAX_PARTIES: '2',
  MAX_RULES: '2',
  MAX_NOTIFICATIONS: '3',
});
const agreement = buildLease('0x5FbDB2315678afecb367f032d93F642f64180aa3');
const address = (at: number) => `0x${String(at).repeat(40)}`;
const initValues = { landlord: address(1), tenant: address(2), rent: '5' };
const times = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));

async function refusalOf(parts: object): Promise<object | undefined> {
  const request = { agreement, chainId, initValues, ...parts };
  try {
    await checkDeployment(request, { chains, limits, isMailConfigured: false });
    return undefined;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { reason: error.reason, paths: error.issues?.map(({ path }) => path) };
  }
}

const observers = (count: number) => ({ observers: times(count, (at) => `o${at}@example.org`) });
const rules = (count: number, recipients: number) => ({
  notificationTemplate: {
    rules: times(count, (at) => ({
      id: `r${at}`,
      name: 'r',
      trigger: { type: 'onTransition' },
      recipients: times(recipients, (each) => `a${each}@example.org`),
      notification: { channel: 'external_webhook', subject: 's', body: 'b' },
    })),
  },
});

test.each<[string, object, object]>([
  ['observers', observers(2), observers(3)],
  ['rules', rules(2, 1), rules(3, 1)],
  ['recipients of all rules', rules(1, 3), rules(2, 2)],
])('an operator says how many %s an agreement may have', async (_, within, beyond) => {
  expect(await refusalOf(within)).toBeUndefined();
  expect(await refusalOf(beyond)).toMatchObject({ reason: expect.stringMatching(/^invalid_/) });
});

test('participants beyond the limit are refused before each is looked at', async () => {
  const participants = times(3, (at) => ({ variableKey: `v${at}`, walletAddress: address(at) }));
  expect(await refusalOf({ participants })).toMatchObject({ reason: 'invalid_participants' });
});

const foreign = { participants: [{ variableKey: 'nobody', walletAddress: address(3) }] };

test('faulty participants are named together with too many observers', async () => {
  expect(await refusalOf({ ...foreign, ...observers(3) })).toEqual({
    reason: 'invalid_participants',
    paths: ['observers', 'participants.0.variableKey'],
  });
});

test('faulty participants are named together with malformed observers, and before malformed rules', async () => {
  const refuse = refuseDeploymentBody(
    { chains, limits, isMailConfigured: false },
    z.object({ ...deploymentMembers, notificationTemplate: z.unknown() }),
  );
  const refusalFor = (path: string) =>
    refuse([{ path, message: 'is wrong' }], { agreement, chainId, initValues, ...foreign });
  const ofParticipants = expect.objectContaining({ path: 'participants.0.variableKey' });
  expect(await refusalFor('observers.0')).toMatchObject({
    reason: 'invalid_participants',
    issues: [{ path: 'observers.0', message: 'is wrong' }, ofParticipants],
  });
  expect(await refusalFor('notificationTemplate')).toMatchObject({
    reason: 'invalid_participants',
    issues: [ofParticipants],
  });
});

test('of malformed participants only as many are looked at as any agreement may have', async () => {
  const participants: unknown[] = times(1_001, () => 0);
  let looks = 0;
  Object.defineProperty(participants, 1_000, { get: () => looks++ });
  const refuse = refuseDeploymentBody(
    { chains, limits, isMailConfigured: false },
    z.object(deploymentMembers),
  );
  const issues = [{ path: 'participants', message: 'has too many items' }];
  const refusal = await refuse(issues, { agreement, chainId, initValues, participants });
  expect(refusal).toMatchObject({ reason: 'invalid_participants' });
  expect(looks).toBe(0);
});
