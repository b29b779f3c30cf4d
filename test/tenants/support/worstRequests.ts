import { randomUUID } from 'node:crypto';
import type { Limits } from '../../../src/platform/config/limits.ts';
import { defaultRuleLimits } from '../../../src/records/rules/notificationTemplate.ts';
import type { Credential } from './apiOperations.ts';
import type { WorstDocument } from './worstDocuments.ts';
import type { WorstWorld } from './worstWorld.ts';

export type WorstRequest = {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly text?: string | undefined;
  /** The credential, if it is not an API key. */
  readonly credential?: Credential | undefined;
  /** How long an endless answer is read. */
  readonly forMs?: number | undefined;
  /** The agents' tool that the request calls, if any. */
  readonly tool?: string | undefined;
  /** Makes a new body before each send, for requests that work only once. */
  readonly prepare?: (() => Promise<{ body: unknown }>) | undefined;
};

type Scene = {
  readonly world: WorstWorld;
  readonly limits: Limits;
  readonly documents: readonly WorstDocument[];
  readonly chainId: number;
  readonly webhookId: string;
};

const times = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));
const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const word = `0x${'1'.repeat(64)}`;
const signature = { v: 27, r: word, s: word };
const deadline = 4_000_000_000;

/**
 * The worst requests to every route, built from the limits: requests that a principal can send with an
 * ordinary key.
 */
export function listWorstRequests(scene: Scene): WorstRequest[] {
  const { documents } = scene;
  return [
    ...documents.flatMap((document) => ofDocument(document, scene)),
    ...listRefused(scene),
    ...ofRecord(scene),
    ...listReads(scene),
    ...ofWebhooks(scene),
    ...ofSessions(scene),
    ...listBatches(scene),
  ];
}

/** Requests to every route that takes a document. */
function ofDocument({ name, agreement, values }: WorstDocument, { chainId, limits }: Scene): WorstRequest[] {
  const post = (route: string, body: unknown): WorstRequest => ({
    name: `${route}: ${name}`,
    method: 'POST',
    path: `/v0/agreements/${route}`,
    body,
  });
  const initValues = values;
  const rules = buildRules({ inputId: '__deploy', count: defaultRuleLimits.notifications });
  return [
    post('validate-template', agreement),
    post('validate', {
      agreement,
      chainId,
      initValues,
      observers: listObservers(),
      notificationTemplate: rules,
    }),
    post('deploy-typed-data', { agreement, chainId, initValues, signer: address }),
    post('deploy-with-permit', {
      ...{ agreement, chainId, initValues, displayName: 'worst', signer: address, deadline, signature },
      docUri: `https://example.org/${'x'.repeat(1_000)}`,
    }),
    post('import', { agreement, chainId, address, displayName: 'x'.repeat(limits.nameBytes) }),
    post('simulate', { agreement, chainId, initValues, steps: listSteps(200, {}) }),
  ];
}

const listObservers = () => times(256, (at) => `observer${at}@example.org`);
const listSteps = (count: number, values: unknown) =>
  times(count, (at) => ({ inputId: 'go', values, by: address, at: new Date(2e12 + at * 1e9).toISOString() }));

/**
 * Rules for this many recipients together. Each rule has one recipient, except the first one, which has all
 * the others.
 */
export function buildRules({ inputId, count }: { inputId: string; count: number }) {
  const rules = Math.min(defaultRuleLimits.rules, count);
  return {
    rules: times(rules, (rule) => ({
      id: `rule${rule}`,
      name: 'worst',
      trigger: { type: 'onTransition', inputs: [inputId] },
      recipients: times(rule === 0 ? count - rules + 1 : 1, (at) => `r${rule}x${at}@example.org`),
      notification: {
        channel: 'external_webhook',
        subject: 'worst',
        body: `\${variables.v0}`.repeat(100),
      },
    })),
  };
}

/** Refused requests: their error texts must not cost more than accepted requests. */
function listRefused({ chainId, limits }: Scene): WorstRequest[] {
  const many = (count: number, item: unknown) => times(count, () => item);
  const execution = (parts: object) => ({
    metadata: { templateId: 'x' },
    variables: {},
    content: { data: '' },
    execution: {
      initialize: { initialState: 'A' },
      states: { A: {} },
      inputs: {},
      transitions: [],
      ...parts,
    },
  });
  // A little below the limit of values, because the values around the document count too.
  const values = limits.bodyValues - 1_000;
  /** The most members of one object. */
  const most = 4_096;
  const refused: [string, unknown][] = [
    ['actions that are numbers', execution({ actions: many(values, 0) })],
    [
      'transitions that are empty',
      execution({ transitions: many(limits.agreementItems, { conditions: many(64, {}) }) }),
    ],
    ['states of wrong shapes', execution({ states: Object.fromEntries(times(most, (at) => [`s${at}`, 0])) })],
    [
      'names too long',
      execution({ inputs: Object.fromEntries(times(25, (at) => ['n'.repeat(17_000) + at, {}])) }),
    ],
    ['nesting too deep', nest(4_000)],
    ['lists of lists', many(values / 2, [])],
  ];
  const post = (name: string, route: string, body: unknown): WorstRequest => ({
    name: `${route}, refused: ${name}`,
    method: 'POST',
    path: `/v0/agreements/${route}`,
    body,
  });
  const { agreement } = { agreement: execution({}) };
  return [
    ...refused.map(([name, document]) => post(name, 'validate-template', document)),
    ...refused.map(([name, document]) =>
      post(name, 'import', { agreement: document, chainId, address, displayName: 'x' }),
    ),
    post('values without end', 'validate', {
      ...{ agreement, chainId },
      initValues: Object.fromEntries(times(most, (at) => [`n${at}`, 1])),
    }),
    post('participants without end', 'validate', {
      agreement,
      chainId,
      participants: many(250, { a: 1, b: 2 }),
    }),
    post('observers without end', 'validate', { agreement, chainId, observers: many(values, 0) }),
    post('rules without end', 'validate', {
      ...{ agreement, chainId },
      notificationTemplate: {
        rules: many(75, { id: 1, trigger: { from: many(256, 0) }, recipients: many(256, 0) }),
      },
    }),
    post('unknown members', 'validate', Object.fromEntries(times(most, (at) => [`m${at}`, 1]))),
    post('unknown members below', 'validate', {
      agreement,
      chainId,
      participants: [Object.fromEntries(times(most, (at) => [`m${at}`, 1]))],
    }),
    { ...post('no JSON', 'validate', undefined), text: '['.repeat(limits.bodyBytes) },
    {
      ...post('text alone', 'validate-template', undefined),
      text: `"${'\\u0000'.repeat(limits.bodyBytes / 6 - 10)}"`,
    },
    {
      ...post('numbers', 'validate-template', undefined),
      text: `[${'1e400,'.repeat(limits.bodyBytes / 6 - 10)}1]`,
    },
  ];
}

function nest(depth: number): unknown {
  let value: unknown = {};
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { a: value };
  return value;
}

/** More writes to a record with large values. */
function ofRecord({ world }: Scene): WorstRequest[] {
  const { record, values, account } = world;
  const post = (name: string, route: string, body: unknown): WorstRequest => ({
    name: `${route}: ${name}`,
    method: 'POST',
    path: `/v0/agreements/${record.id}/${route}`,
    body,
  });
  const signed = { inputId: 'go', values, signer: account.address, deadline, signature };
  const unknown = Object.fromEntries(times(2_000, (at) => [`x${at}`, 'x'.repeat(100)]));
  return [
    post('the largest values', 'input-typed-data', { inputId: 'go', values, signer: account.address }),
    post('the largest values', 'input', signed),
    post('unknown values', 'input', { ...signed, values: unknown }),
    post('an input of 1,000 characters', 'input', { ...signed, inputId: 'x'.repeat(1_000) }),
    post('the largest values once', 'simulate', { steps: listSteps(3, values) }),
    post('as many steps as may be', 'simulate', { steps: listSteps(200, {}) }),
    post('rules that repeat the largest value', 'notifications/preview', {
      transition: { inputId: 'go' },
      notificationTemplate: buildRules({ inputId: 'go', count: 250 }),
    }),
    post('a note as long as it may be', 'links', {
      may: 'read',
      note: 'é'.repeat(200),
      expiresInSeconds: 3_600,
    }),
  ];
}

/** Reads of large data, of the longest pages, and with senseless numbers. */
function listReads({ world: { record } }: Scene): WorstRequest[] {
  const id = record.id;
  const instant = '9999-12-31T23:59:59.999999999%2B15:59';
  const longest = 'x'.repeat(1_000);
  const paths = [
    `/agreements/${id}`,
    `/agreements/${record.address}`,
    `/agreements/${id}/state`,
    `/agreements/${id}/inputs?limit=100`,
    `/agreements/${id}/inputs?limit=100&userId=${longest}&inputId=${longest}&status=MINED&createdAt[gt]=0001-01-01T00:00:00Z&updatedAt[lt]=${instant}`,
    `/agreements/${id}/links?limit=100`,
    `/agreements?limit=100`,
    `/agreements?limit=100&state=${longest}&createdAt[gte]=0001-01-01T00:00:00Z&createdAt[lte]=${instant}&updatedAt[gt]=0001-01-01T00:00:00Z&sort[displayName]=asc`,
    `/agreements?limit=9999`,
    `/agreements?cursor=${'A'.repeat(4_000)}`,
    `/agreements?createdAt[gt]=2026-01-01T00:00:00.${'1'.repeat(130)}Z`,
    `/agreements?${'a=1&'.repeat(2_000)}`,
    `/agreements?chainId=${'9'.repeat(400)}`,
    `/agreements/documents/${record.documentId}`,
    '/events?limit=100',
    `/events?after=${'A'.repeat(4_000)}`,
    '/webhooks?limit=100',
    '/sessions?limit=100',
    '/sessions/links?limit=100',
    '/openapi.json',
    '/docs',
    '/health',
  ];
  const read = (path: string, headers?: Record<string, string>): WorstRequest => ({
    name: `GET ${path.replaceAll(id, '{id}').replace(record.address, '{address}').slice(0, 70)}${headers ? ` as ${headers.accept}` : ''}`,
    method: 'GET',
    path: `/v0${path}`,
    ...(headers && { headers }),
  });
  return [
    ...paths.map((path) => read(path)),
    ...['text/html', 'text/markdown', 'text/plain'].map((accept) =>
      read(`/agreements/documents/${record.documentId}`, { accept }),
    ),
  ];
}

function ofWebhooks({ webhookId }: Scene): WorstRequest[] {
  const filters = Object.fromEntries(
    ['agreementIds', 'templateIds', 'inputIds', 'fromStates'].map((name) => [
      name,
      times(64, (at) => `${at}`.padEnd(120, 'x')),
    ]),
  );
  return [
    {
      name: 'webhooks: the largest filters',
      method: 'PATCH',
      path: `/v0/webhooks/${webhookId}`,
      body: { filters },
    },
    {
      name: 'webhooks: a long URL',
      method: 'PATCH',
      path: `/v0/webhooks/${webhookId}`,
      body: { url: `https://203.0.113.1/${'x'.repeat(2_000)}` },
    },
    { name: 'webhooks: one by one', method: 'GET', path: `/v0/webhooks/${webhookId}` },
    {
      name: 'webhooks: deliveries',
      method: 'GET',
      path: `/v0/webhooks/${webhookId}/deliveries?limit=100&status=succeeded`,
    },
    { name: 'webhooks: rotate', method: 'POST', path: `/v0/webhooks/${webhookId}/rotate-secret` },
    { name: 'webhooks: recover', method: 'POST', path: `/v0/webhooks/${webhookId}/recover` },
    {
      name: 'webhooks: redeliver what is not there',
      method: 'POST',
      path: `/v0/webhooks/${webhookId}/deliveries/del_${'0'.repeat(32)}/redeliver`,
    },
  ];
}

function ofSessions(_scene: Scene): WorstRequest[] {
  const capabilities = times(1_000, () => 'agreements.read');
  return [
    {
      name: 'sessions: as many capabilities as lists may have',
      method: 'POST',
      path: '/v0/sessions',
      body: { label: 'x'.repeat(200), capabilities },
    },
    {
      name: 'sessions: a link',
      method: 'POST',
      path: '/v0/sessions/links',
      body: { label: 'x'.repeat(100), capabilities: ['agreements.read'], expiresInSeconds: 60 },
    },
    { name: 'sessions: current', method: 'GET', path: '/v0/sessions/current' },
    {
      name: 'shared: a link that is none',
      method: 'GET',
      path: '/v0/shared/agreement',
      headers: { 'x-agreements-link': `agl_${'0'.repeat(64)}` },
    },
    {
      name: 'shared: the longest input',
      method: 'POST',
      path: '/v0/shared/agreement/input',
      headers: { 'x-agreements-link': 'x' },
      text: '[0'.padEnd(1_000_000, ',0'),
    },
  ];
}

/** Large requests under an idempotency key, which stores the answer. */
function listBatches({ documents, chainId }: Scene): WorstRequest[] {
  const [largest] = documents;
  const body = { agreement: largest?.agreement, chainId, initValues: largest?.values, signer: address };
  const keyed = (name: string, path: string, sent: unknown, key: string = randomUUID()): WorstRequest => ({
    name: `under a key: ${name}`,
    method: 'POST',
    path,
    body: sent,
    headers: { 'idempotency-key': key },
  });
  return [
    keyed('the largest answer', '/v0/agreements/deploy-typed-data', body),
    keyed('the longest key', '/v0/agreements/validate', body, 'x'.repeat(255)),
    keyed('many issues', '/v0/agreements/validate-template', {
      execution: { actions: times(250_000, () => 0) },
    }),
  ];
}
