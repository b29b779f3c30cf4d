import { createServer, request as openRequest } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { buildAgentRequest } from './generateToolCalls.ts';
import type { WorstRequest } from './worstRequests.ts';

/** What an attack works with. */
export type AttackScene = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly recordId: string;
  readonly documentId: string;
  readonly webhookId: string;
  readonly linkSecret: string;
  readonly chainId: number;
  readonly bodyBytes: number;
  /** Sends one request, reads its answer and counts its status. */
  send(request: WorstRequest): Promise<string>;
  /** Whether the attack goes on. */
  isOn(): boolean;
};

/** A hostile behaviour, which goes on until it is told to end. */
export type Attack = { readonly name: string; run(scene: AttackScene): Promise<void> };

const readsPerSecond = 50;
const writesPerSecond = 10;
const mostUnderWay = 40;
const times = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));

/** Sends requests by turns, as many a second as a principal may. */
async function flood(scene: AttackScene, requests: readonly WorstRequest[]): Promise<void> {
  const open = new Set<Promise<unknown>>();
  for (let at = 0; scene.isOn(); at++) {
    const request = requests[at % requests.length];
    if (request && open.size < mostUnderWay) {
      const sent: Promise<unknown> = scene.send(request).finally(() => open.delete(sent));
      open.add(sent);
    }
    await delay(1_000 / (request?.method === 'GET' ? readsPerSecond : writesPerSecond));
  }
  await Promise.all(open);
}

const post = (path: string, body: unknown, headers?: Record<string, string>): WorstRequest => ({
  ...{ name: path, method: 'POST', path: `/v0${path}`, body },
  ...(headers && { headers }),
});
const postText = (path: string, text: string): WorstRequest => ({ ...post(path, undefined), text });
const get = (path: string, headers?: Record<string, string>): WorstRequest => ({
  ...{ name: path, method: 'GET', path: `/v0${path}` },
  ...(headers && { headers }),
});

const field = { type: 'string', validation: { required: false } };

/** A document that is good but for what is given. */
function buildDocument(parts: { variables?: unknown; data?: string; execution?: object } = {}) {
  const { variables = {}, data = '', execution = {} } = parts;
  return {
    metadata: { templateId: 'did:template:attack' },
    variables,
    content: { type: 'md', data },
    execution: {
      initialize: { initialState: 'A', data: {} },
      states: { A: {}, B: {} },
      inputs: { go: { data: { a: field } } },
      transitions: [{ from: 'A', to: 'B', conditions: [{ input: 'go' }] }],
      ...execution,
    },
  };
}

const named = (count: number, nameOf: (at: number) => string) =>
  Object.fromEntries(times(count, (at) => [nameOf(at), field]));

/** Documents by every route that takes one. */
function withDocuments(name: string, build: () => object[]): Attack {
  return {
    name,
    run(scene) {
      const { chainId } = scene;
      const requests = build().flatMap((agreement) => [
        post('/agreements/validate-template', agreement),
        post('/agreements/validate', { agreement, chainId }),
        post('/agreements/simulate', { agreement, chainId, steps: [{ inputId: 'go', values: {}, by: 'a' }] }),
        post('/agreements/deploy-typed-data', { agreement, chainId, signer: `0x${'1'.repeat(40)}` }),
      ]);
      return flood(scene, requests);
    },
  };
}

function withRequests(name: string, build: (scene: AttackScene) => WorstRequest[]): Attack {
  return { name, run: (scene) => flood(scene, build(scene)) };
}

function withRules(name: string, build: () => object[]): Attack {
  return withRequests(name, ({ recordId }) => [
    post(`/agreements/${recordId}/notifications/preview`, {
      transition: { inputId: 'go' },
      notificationTemplate: { rules: build() },
    }),
  ]);
}

/**
 * Many connections that do as they are told, opened as fast as the rate limit permits; all of them end with
 * the attack.
 */
async function holdOpen(
  scene: AttackScene,
  { count, perSecond }: { count: number; perSecond: number },
  open: (at: number, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const ending = new AbortController();
  const startedAt = performance.now();
  const all: Promise<unknown>[] = [];
  while (scene.isOn()) {
    // A limit's burst is what it permits in two seconds.
    const permitted = perSecond * (2 + (performance.now() - startedAt) / 1_000);
    while (all.length < Math.min(count, permitted))
      all.push(open(all.length, ending.signal).catch(() => undefined));
    await delay(50);
  }
  ending.abort();
  await Promise.all(all);
}

/** Opens an answer and takes nothing of it. */
const stall =
  ({ baseUrl }: AttackScene, path: string, headers: Record<string, string>) =>
  (_at: number, signal: AbortSignal): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sent = openRequest(`${baseUrl}/v0${path}`, { headers, signal });
    sent.on('response', (response) => response.pause());
    sent.on('error', () => resolve());
    sent.on('close', () => resolve());
    sent.end();
    return promise;
  };

/** Announces a large body, and sends a byte of it now and then. */
const drip =
  ({ baseUrl }: AttackScene, path: string, headers: Record<string, string>) =>
  async (_at: number, signal: AbortSignal): Promise<void> => {
    const sent = openRequest(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': 900_000 },
      signal,
    });
    sent.on('error', () => undefined);
    sent.on('response', (response) => response.resume());
    while (!signal.aborted && !sent.destroyed) {
      sent.write(' ');
      await delay(200);
    }
  };

/** Sends the same bytes again and again, each time on a connection of its own, and drops the answers. */
async function repeatBytes(scene: AttackScene, bytes: string, perSecond: number): Promise<void> {
  const { hostname, port } = new URL(scene.baseUrl);
  const open = new Set<Socket>();
  while (scene.isOn()) {
    const socket = connect(Number(port), hostname);
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.resume();
    socket.end(bytes);
    await delay(1_000 / perSecond);
  }
  for (const socket of open) socket.destroy();
}

const headOf = (route: string, { apiKey }: AttackScene, headers: readonly string[] = []) =>
  [`${route} HTTP/1.1`, 'host: a', `x-api-key: ${apiKey}`, ...headers, '', ''].join('\r\n');

/** A receiver of webhooks on loopback that answers as it is told. */
async function withReceiver(
  scene: AttackScene,
  answer: Parameters<typeof createServer>[1],
  path = '/hook',
): Promise<void> {
  const server = createServer(answer ?? (() => undefined));
  server.listen(0, '127.0.0.1');
  while (!server.listening) await delay(5);
  const { port } = server.address() as AddressInfo;
  const { webhookId } = scene;
  await scene.send({
    ...post(`/webhooks/${webhookId}`, { url: `http://127.0.0.1:${port}${path}` }),
    method: 'PATCH',
  });
  await flood(scene, [post(`/webhooks/${webhookId}/test`, undefined)]);
  server.closeAllConnections();
  server.close();
}

const long = (text: string, count: number) => text.repeat(count);
const extremes = [
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '+275760-09-13T00:00:00Z',
  '-1',
  '1e99',
];

/** Attacks of one principal, or of guests, each of another kind. */
export const attacks: readonly Attack[] = [
  withDocuments('names of combining characters', () => [
    buildDocument({ variables: named(512, (at) => `${at}${long('\u0301', 100)}`) }),
  ]),
  withDocuments('names that differ by their normal form alone', () => [
    buildDocument({ variables: named(512, (at) => `${at % 2 ? 'é' : 'e\u0301'}${Math.floor(at / 2)}`) }),
  ]),
  withDocuments('names that objects have by themselves', () => [
    buildDocument({
      variables: JSON.parse(
        '{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"string"},"\\ud800":{"type":"string"}}',
      ),
    }),
  ]),
  withDocuments('names of right-to-left marks and nulls', () => [
    buildDocument({ variables: named(512, (at) => `\u202e\u0000${at}`) }),
  ]),
  withDocuments('references within references', () => [
    buildDocument({
      variables: named(2, (at) => `v${at}`),
      data: long(`\${variables.\${variables.v0}}`, 15_000),
    }),
  ]),
  withDocuments('references without an end', () => [buildDocument({ data: long(`\${variables.`, 40_000) })]),
  withDocuments('references that begin again and again', () => [
    buildDocument({ data: `${long('${', 200_000)}}` }),
  ]),
  withDocuments('values that refer to one another', () => [
    buildDocument({
      variables: named(512, (at) => `v${at}`),
      execution: {
        initialize: {
          initialState: 'A',
          data: Object.fromEntries(times(512, (at) => [`v${at}`, `\${variables.v${(at + 1) % 512}}`])),
        },
      },
    }),
  ]),
  withDocuments('patterns that backtrack', () => [
    buildDocument({
      variables: Object.fromEntries(
        times(128, (at) => [`v${at}`, { type: 'string', validation: { pattern: '^(((a+)+)+)+$' } }]),
      ),
    }),
  ]),
  withDocuments('patterns of many alternatives', () => [
    buildDocument({
      variables: Object.fromEntries(
        times(100, (at) => [
          `v${at}`,
          { type: 'string', validation: { pattern: times(900, (each) => `a${each}`).join('|') } },
        ]),
      ),
    }),
  ]),
  withDocuments('patterns that look behind and repeat themselves', () => [
    buildDocument({
      variables: Object.fromEntries(
        times(128, (at) => [
          `v${at}`,
          { type: 'string', validation: { pattern: '(?<=(a+))(b*)\\2{1,1000}\\p{L}{1000}' } },
        ]),
      ),
    }),
  ]),
  withDocuments('tuples within tuples', () => {
    const nest = (depth: number): object =>
      depth === 0
        ? { name: 'x', type: 'uint256' }
        : { name: 'x', type: 'tuple[]', components: [nest(depth - 1)] };
    return [buildActions({ inputs: [nest(28)] }), buildActions({ inputs: times(200, () => nest(2)) })];
  }),
  withDocuments('arrays of types without end', () => [
    buildActions({ inputs: [{ name: 'x', type: `uint256${long('[]', 10_000)}` }] }),
    buildActions({ inputs: [{ name: 'x', type: 'uint256[99999999999999999999]' }] }),
    buildActions({ inputs: [{ name: 'x', type: `uint256${long('[9]', 60)}` }] }),
  ]),
  withDocuments('quotes within quotes', () => [
    buildDocument({ data: long('>', 100_000) }),
    buildDocument({ data: long('- ', 100_000) }),
  ]),
  withDocuments('conditions of every input in every state', () => [
    buildDocument({
      execution: {
        states: Object.fromEntries(times(256, (at) => [`s${at}`, {}])),
        inputs: Object.fromEntries(times(256, (at) => [`i${at}`, { data: {} }])),
        initialize: { initialState: 's0', data: {} },
        transitions: times(256, (at) => ({
          from: `s${at}`,
          to: `s${(at * 7) % 256}`,
          conditions: times(64, (each) => ({ input: `i${(at + each) % 256}` })),
        })),
      },
    }),
  ]),
  withRequests('numbers of sixty thousand digits', ({ chainId }) => {
    const agreement = buildDocument({
      variables: Object.fromEntries(times(4, (at) => [`v${at}`, { type: 'uint256' }])),
    });
    return ['9', '0', '-9', '0x'].map((digit) =>
      post('/agreements/validate', {
        ...{ agreement, chainId },
        initValues: Object.fromEntries(times(4, (at) => [`v${at}`, long(digit, 30_000)])),
      }),
    );
  }),
  withRequests('values for patterns that backtrack', ({ chainId }) => {
    const pattern = '^(\\w+\\s?)*$';
    const agreement = buildDocument({ variables: { v: { type: 'string', validation: { pattern } } } });
    return [post('/agreements/validate', { agreement, chainId, initValues: { v: `${long('a', 60_000)}!` } })];
  }),
  withRequests('steps at extreme moments', ({ recordId }) => [
    post(`/agreements/${recordId}/simulate`, {
      steps: times(200, (at) => ({
        inputId: 'go',
        values: {},
        by: 'party',
        at: extremes[at % extremes.length],
      })),
    }),
    post(`/agreements/${recordId}/simulate`, {
      steps: times(200, (at) => ({
        inputId: 'go',
        values: {},
        by: 'party',
        at: new Date(2e12 + at).toISOString(),
      })),
    }),
  ]),
  withRules('rules with intervals of nothing and of for ever', () =>
    times(100, (at) => ({
      id: `r${at}`,
      name: 'x',
      trigger: { type: 'temporal', checkInterval: ['PT0.000000001S', 'P99999999Y', '0s', '1ms'][at % 4] },
      recipients: ['a@example.org'],
      notification: { channel: 'email', subject: 'x', body: 'x' },
    })),
  ),
  withRules('rules whose text is references alone', () =>
    times(100, (at) => ({
      id: `r${at}`,
      name: 'x',
      trigger: { type: 'onTransition', inputs: ['go'] },
      recipients: ['a@example.org'],
      notification: {
        channel: 'external_webhook',
        subject: long(`\${variables.v1}`, 200),
        body: long(`\${x`, 1_000),
      },
    })),
  ),
  withRules('recipients in every script', () => [
    {
      id: 'r',
      name: 'x',
      trigger: { type: 'onTransition', inputs: ['go'] },
      recipients: times(250, (at) => `${long('ü', 200)}${at}@example.org`),
      notification: { channel: 'email', subject: 'x', body: 'x' },
    },
  ]),
  withRequests('objects within objects as deep as may be', ({ chainId }) => {
    const nest = (depth: number): unknown =>
      depth === 0 ? 0 : { a: nest(depth - 1), b: [nest(Math.min(depth - 1, 1))] };
    return [
      post('/agreements/validate', {
        agreement: buildDocument({ variables: { v: nest(50) } }),
        chainId,
        initValues: { v: nest(55) },
      }),
    ];
  }),
  withRequests('members named by numbers', ({ chainId }) => [
    post('/agreements/validate', {
      agreement: buildDocument({ variables: named(512, (at) => String(4_294_967_294 - at)) }),
      ...{ chainId, initValues: Object.fromEntries(times(4_000, (at) => [String(9_999_999 - at), 'x'])) },
    }),
  ]),
  withRequests('members that are there again and again', () => [
    postText('/agreements/validate-template', `{${times(4_000, () => '"a":0').join(',')}}`),
    postText('/agreements/validate-template', `{"a":[${times(39_000, () => '-0.0e-999').join(',')}]}`),
    postText('/agreements/validate-template', `{"a":${long('9', 900_000)}}`),
    postText('/agreements/validate-template', `{"a":"${long('\\ud800', 150_000)}"}`),
  ]),
  withRequests('filters of wildcards', () => [
    get(`/agreements?displayName[startsWith]=${encodeURIComponent(long('%_\\', 300))}&limit=100`),
    get(`/agreements?displayName[startsWith]=${encodeURIComponent(long('\u{1f4a5}', 200))}&limit=100`),
    get(
      '/agreements?displayName[startsWith]=w&createdAt[gte]=0001-01-01T00:00:00Z&sort[updatedAt]=desc&limit=100',
    ),
  ]),
  withRequests('moments at the ends of time', () =>
    extremes.flatMap((moment) => [
      get(
        `/agreements?createdAt[gte]=${encodeURIComponent(moment)}&updatedAt[lte]=${encodeURIComponent(moment)}`,
      ),
      get(`/agreements?createdAt[lt]=${encodeURIComponent(`2026-01-01T00:00:00.${long('9', 500)}Z`)}`),
    ]),
  ),
  withRequests('cursors made by hand', ({ recordId }) =>
    ['', 'x', '[]', '{"a":1}', '["agreements",null]', long('[', 1_000), '\u0000'].flatMap((text) => {
      const cursor = Buffer.from(text).toString('base64url');
      return [
        get(`/agreements?cursor=${cursor}`),
        get(`/agreements/${recordId}/inputs?cursor=${cursor}`),
        get(`/webhooks?cursor=${cursor}`),
        get(`/sessions?cursor=${cursor}`),
        get(`/events?after=${cursor}`),
        get(`/agreements?consistency=${cursor}`),
      ];
    }),
  ),
  {
    name: 'reads that wait for what never comes',
    run: (scene) =>
      holdOpen(scene, { count: readsPerSecond, perSecond: readsPerSecond }, async (_at, signal) => {
        const text = JSON.stringify([[scene.chainId, 4_000_000_000, scene.recordId, null]]);
        const token = Buffer.from(text).toString('base64url');
        while (!signal.aborted) {
          await scene.send(get(`/agreements/${scene.recordId}?consistency=${token}`));
          await delay(1_000);
        }
      }),
  },
  {
    name: 'listeners that take nothing',
    run: (scene) =>
      holdOpen(
        scene,
        { count: 1_000, perSecond: readsPerSecond },
        stall(scene, '/events/stream', { 'x-api-key': scene.apiKey }),
      ),
  },
  {
    name: 'listeners that come and go',
    run: (scene) => flood(scene, [{ ...get('/events/stream'), forMs: 1 }]),
  },
  {
    name: 'readers of evidence that take nothing',
    run: (scene) =>
      holdOpen(
        scene,
        { count: 40, perSecond: readsPerSecond },
        stall(scene, `/agreements/${scene.recordId}/evidence`, { 'x-api-key': scene.apiKey }),
      ),
  },
  {
    name: 'guests who read evidence and take nothing',
    run: (scene) =>
      holdOpen(
        scene,
        { count: 40, perSecond: readsPerSecond },
        stall(scene, '/shared/agreement/evidence', { 'x-agreements-link': scene.linkSecret }),
      ),
  },
  withRequests('pages of evidence and of documents', ({ recordId, documentId }) => [
    get(`/agreements/${recordId}/evidence`, { accept: 'text/html' }),
    get(`/agreements/documents/${documentId}`, { accept: 'text/html' }),
  ]),
  {
    name: 'bodies that come drop by drop',
    run: (scene) =>
      holdOpen(
        scene,
        { count: 200, perSecond: writesPerSecond },
        drip(scene, '/v0/agreements/validate', { 'x-api-key': scene.apiKey }),
      ),
  },
  {
    name: 'bodies of guests that come drop by drop',
    run: (scene) =>
      holdOpen(
        scene,
        { count: 200, perSecond: writesPerSecond },
        drip(scene, '/v0/shared/agreement/input', { 'x-agreements-link': scene.linkSecret }),
      ),
  },
  {
    name: 'bodies of nobody that come drop by drop',
    run: (scene) =>
      holdOpen(
        scene,
        { count: 200, perSecond: writesPerSecond },
        drip(scene, '/v0/wallet/challenges', { 'x-agreements-session': '1' }),
      ),
  },
  {
    name: 'bodies in chunks of a byte',
    run(scene) {
      const types = ['content-type: application/json', 'transfer-encoding: chunked', 'connection: close'];
      const head = headOf('POST /v0/agreements/validate', scene, types);
      return repeatBytes(scene, `${head}${long('1\r\nx\r\n', 500_000)}0\r\n\r\n`, writesPerSecond);
    },
  },
  {
    name: 'fifty requests in one piece',
    run: (scene) => repeatBytes(scene, long(headOf('GET /v0/agreements', scene), readsPerSecond), 1),
  },
  withRequests('one key for many at once', ({ chainId }) => [
    post(
      '/agreements/validate',
      { agreement: buildDocument({ data: long('x', 400_000) }), chainId },
      { 'idempotency-key': 'one' },
    ),
  ]),
  {
    name: 'large answers, each under a key of its own',
    async run(scene) {
      let count = 0;
      const agreement = buildDocument({ variables: named(512, (at) => `v${at}`), data: long('x', 300_000) });
      const body = { agreement, chainId: scene.chainId, signer: `0x${'1'.repeat(40)}` };
      while (scene.isOn()) {
        const key = `${process.pid}-${Date.now()}-${count++}`;
        await scene.send(post('/agreements/deploy-typed-data', body, { 'idempotency-key': key }));
        await delay(1_000 / writesPerSecond);
      }
    },
  },
  withRequests('links made and made again', ({ recordId }) => [
    post(`/agreements/${recordId}/links`, { may: 'read', note: long('x', 500), expiresInSeconds: 1 }),
    post('/sessions/links', { label: long('x', 200), expiresInSeconds: 1 }),
    post('/sessions', { label: long('x', 200) }),
  ]),
  withRequests('secrets that nobody has', () =>
    times(50, (at) => ({
      ...get('/shared/agreement', { 'x-agreements-link': `agl_${String(at).padStart(64, '0')}` }),
      credential: 'signingLink' as const,
    })),
  ),
  withRequests('portal links that nobody has', () => [
    {
      ...post('/sessions', { link: `agp_${'0'.repeat(64)}` }, { 'x-agreements-session': '1' }),
      credential: 'none',
    },
  ]),
  withRequests('wallets that ask for messages', () =>
    times(50, (at) => ({
      ...post(
        '/wallet/challenges',
        { wallet: `0x${String(at).padStart(40, '0')}` },
        { 'x-agreements-session': '1' },
      ),
      credential: 'none' as const,
    })),
  ),
  {
    name: 'a receiver that never answers',
    run: (scene) => withReceiver(scene, () => undefined),
  },
  {
    name: 'a receiver that answers without end',
    run: (scene) =>
      withReceiver(scene, (_request, response) => {
        const chunk = Buffer.alloc(65_536);
        const more = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', more);
        more();
      }),
  },
  {
    name: 'a receiver that leads elsewhere',
    run: (scene) =>
      withReceiver(scene, (_request, response) =>
        response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      ),
  },
  {
    name: 'a receiver whose headers have no end',
    run: (scene) =>
      withReceiver(scene, (request) => {
        request.socket.write(`HTTP/1.1 200 OK\r\n`);
        const timer = setInterval(
          () => request.socket.write(`x-${Math.random()}: ${long('x', 4_000)}\r\n`),
          5,
        );
        request.socket.on('close', () => clearInterval(timer));
        request.socket.on('error', () => clearInterval(timer));
      }),
  },
  withRequests('calls of agents by the thousand', () => [
    {
      ...agentRequest('many', {}),
      body: times(1_000, (id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
    },
    {
      ...agentRequest('many', {}),
      body: times(1_000, (id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'find_agreements', arguments: {} },
      })),
    },
    agentRequest('tools/call', {
      name: 'draft_agreement',
      arguments: { agreement: buildDocument({ data: long('x', 400_000) }) },
    }),
    agentRequest('tools/call', { name: long('x', 500_000), arguments: {} }),
    { ...agentRequest('x', {}), method: 'GET', body: undefined },
  ]),
  withRequests('agents that search and wait', () => [
    agentRequest('tools/call', { name: 'find_agreements', arguments: { text: long('\u0130', 200) } }),
    agentRequest('tools/call', { name: 'follow_events', arguments: { waitSeconds: 30 } }),
  ]),
  withRequests('signatures of nobody over the largest values', ({ recordId }) => [
    post(`/agreements/${recordId}/input`, {
      ...{ inputId: 'go', signer: `0x${'1'.repeat(40)}`, deadline: Math.floor(Date.now() / 1_000) + 600 },
      values: Object.fromEntries(times(100, (at) => [`v${at}`, long('x', 2_000)])),
      signature: { v: 27, r: `0x${'1'.repeat(64)}`, s: `0x${'1'.repeat(64)}` },
    }),
  ]),
  withRequests('drafts without end', ({ chainId }) => [
    post('/agreements/drafts', {
      ...{ agreement: buildDocument({ data: long('x', 400_000) }), chainId, displayName: 'x' },
      signer: `0x${'1'.repeat(40)}`,
    }),
  ]),
  withRequests('agreements that are not there', ({ chainId }) =>
    times(20, (at) =>
      post('/agreements/import', {
        ...{ agreement: buildDocument(), chainId, displayName: 'x' },
        address: `0x${String(at + 1).padStart(40, '0')}`,
      }),
    ),
  ),
  withRequests('headers of many parts', ({ documentId, recordId }) => [
    get('/agreements', { cookie: long('a=b;', 3_000) }),
    get(`/agreements/documents/${documentId}`, { accept: long('text/x;q=0.1,', 1_000) }),
    get(`/agreements/documents/${documentId}`, { 'if-none-match': long('"x",', 3_000) }),
    get(`/agreements/${recordId}`, { 'x-forwarded-for': long('1.1.1.1,', 1_500) }),
    get('/agreements', { traceparent: long('0', 8_000), 'x-request-id': long('x', 4_000) }),
  ]),
  withRequests('webhooks at names that lead nowhere', ({ webhookId }) => [
    {
      ...post(`/webhooks/${webhookId}`, { url: `https://${long('a.', 100)}example.invalid/` }),
      method: 'PATCH',
    },
    {
      ...post(`/webhooks/${webhookId}`, { url: `https://xn--${long('a', 55)}.example.invalid/` }),
      method: 'PATCH',
    },
    { ...post(`/webhooks/${webhookId}`, { url: `https://127.0.0.1/${long('%', 2_000)}` }), method: 'PATCH' },
  ]),
];

function agentRequest(method: string, params: unknown): WorstRequest {
  return buildAgentRequest({ path: '/mcp', name: method.slice(0, 50), method, params });
}

function buildActions({ inputs }: { inputs: unknown[] }) {
  return buildDocument({
    execution: {
      actions: times(8, (at) => ({
        id: `a${at}`,
        when: { from: 'A', input: 'go' },
        call: {
          type: 'evmCall',
          target: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
          abi: [{ type: 'function', name: 'f', inputs }],
          method: 'f',
          args: times(inputs.length, () => []),
        },
      })),
    },
  });
}
