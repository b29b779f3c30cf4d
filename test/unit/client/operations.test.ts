import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AgreementsClient, type OperationId } from '../../../client/src/index.ts';

/** The client's method for each operation of the OpenAPI document, with its arguments here. */
const methods = {
  validateTemplate: ['agreements', 'validateTemplate', {}],
  validateDeployment: ['agreements', 'validate', {}],
  simulateAgreement: ['agreements', 'simulate', {}],
  simulateRecord: ['agreements', 'simulateInputs', 'x', {}],
  makeDeployTypedData: ['agreements', 'makeDeployTypedData', {}],
  deployWithPermit: ['agreements', 'deployWithPermit', {}],
  createDraft: ['agreements', 'createDraft', {}],
  withdrawDraft: ['agreements', 'withdrawDraft', 'x'],
  updateAgreement: ['agreements', 'update', 'x', {}],
  importAgreement: ['agreements', 'import', {}],
  makeInputTypedData: ['agreements', 'makeInputTypedData', 'x', {}],
  submitInput: ['agreements', 'submitInput', 'x', {}],
  previewNotifications: ['agreements', 'previewNotifications', 'x', {}],
  listAgreements: ['agreements', 'list'],
  getAgreement: ['agreements', 'get', 'x'],
  getAgreementState: ['agreements', 'getState', 'x'],
  listAgreementInputs: ['agreements', 'listInputs', 'x'],
  getAgreementEvidence: ['agreements', 'getEvidence', 'x'],
  getAgreementDocument: ['documents', 'get', 'x'],
  createWebhook: ['webhooks', 'create', {}],
  listWebhooks: ['webhooks', 'list'],
  getWebhook: ['webhooks', 'get', 'x'],
  updateWebhook: ['webhooks', 'update', 'x', {}],
  disableWebhook: ['webhooks', 'disable', 'x'],
  testWebhook: ['webhooks', 'test', 'x'],
  listWebhookDeliveries: ['webhooks', 'listDeliveries', 'x'],
  redeliverWebhook: ['webhooks', 'redeliver', 'x', 'x'],
  recoverWebhook: ['webhooks', 'recover', 'x', {}],
  rotateWebhookSecret: ['webhooks', 'rotateSecret', 'x'],
  listEvents: ['events', 'list'],
  streamEvents: ['events', 'openStream'],
  createSigningLink: ['links', 'create', 'x', {}],
  listSigningLinks: ['links', 'list', 'x'],
  revokeSigningLink: ['links', 'revoke', 'x', 'x'],
  getSharedAgreement: ['shared', 'get'],
  getSharedDocument: ['shared', 'getDocument'],
  getSharedState: ['shared', 'getState'],
  listSharedInputs: ['shared', 'listInputs'],
  getSharedEvidence: ['shared', 'getEvidence'],
  makeSharedInputTypedData: ['shared', 'makeInputTypedData', {}],
  submitSharedInput: ['shared', 'submitInput', {}],
  makeSharedDeployTypedData: ['shared', 'makeDeployTypedData', {}],
  deploySharedAgreement: ['shared', 'deployWithPermit', {}],
  createWalletChallenge: ['wallet', 'createChallenge', {}],
  createWalletSession: ['wallet', 'login', {}],
  getWalletSession: ['wallet', 'current'],
  endWalletSession: ['wallet', 'logout'],
  listWalletAgreements: ['wallet', 'listAgreements'],
  createSession: ['sessions', 'create'],
  getCurrentSession: ['sessions', 'current'],
  endCurrentSession: ['sessions', 'end'],
  listSessions: ['sessions', 'list'],
  revokeSession: ['sessions', 'revoke', 'x'],
  createPortalLink: ['sessions', 'createLink'],
  previewPortalLink: ['sessions', 'previewLink', {}],
  listPortalLinks: ['sessions', 'listLinks'],
  revokePortalLink: ['sessions', 'revokeLink', 'x'],
  getHealth: ['system', 'health'],
  getOpenApi: ['system', 'openApi'],
  getDocs: ['system', 'docs'],
  getEvidenceSchema: ['system', 'evidenceSchema'],
} as const satisfies Record<OperationId, readonly [keyof AgreementsClient, string, ...unknown[]]>;

/** Methods without an operation of their own. */
const beside = [
  'agreements.readEvidence',
  'shared.readEvidence',
  'documents.getText',
  'events.follow',
  'wallet.open',
];

type Described = { operationId: OperationId; requestBody?: unknown; parameters?: { name: string }[] };
const text = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8');
const { paths }: { paths: Record<string, Record<string, Described>> } = JSON.parse(text);
const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
  Object.entries(byMethod).map(([method, described]) => ({ path, method: method.toUpperCase(), described })),
);

const origin = 'http://127.0.0.1:1';

/** The requests that a call sends, captured at `fetch`. */
async function capture([resource, method, ...args]: readonly [keyof AgreementsClient, string, ...unknown[]]) {
  const sent: Request[] = [];
  const client = new AgreementsClient({
    baseUrl: origin,
    apiKey: 'agk_test_1',
    fetch: async (input, init) => {
      sent.push(new Request(input, init));
      return Response.json({ data: {}, pageInfo: { limit: 1, nextCursor: null } });
    },
  });
  await Reflect.apply(Reflect.get(client[resource], method), client[resource], args);
  return sent;
}

describe('the client has a method for', () => {
  test.each(operations.map((operation) => [operation.described.operationId, operation] as const))(
    '%s, which asks for it alone',
    async (id, { path, method, described }) => {
      const [request, ...more] = await capture(methods[id]);
      expect(more).toEqual([]);
      expect([request?.method, request?.url]).toEqual([method, origin + path.replace(/\{\w+\}/g, 'x')]);
      if (described.requestBody) expect(request?.headers.get('content-type')).toBe('application/json');
    },
  );

  test('every operation, and no other', () => {
    expect(Object.keys(methods).toSorted()).toEqual(
      operations.map(({ described }) => described.operationId).toSorted(),
    );
    const client = new AgreementsClient({ baseUrl: origin });
    const there = Object.entries(client).flatMap(([resource, group]) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(group))
        .filter((name) => name !== 'constructor')
        .map((name) => `${resource}.${name}`),
    );
    const named = Object.values(methods).map(([resource, method]) => `${resource}.${method}`);
    expect(there.toSorted()).toEqual([...named, ...beside].toSorted());
  });
});
