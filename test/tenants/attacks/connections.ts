import { request as openRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Attack,
  type AttackScene,
  flood,
  get,
  long,
  readsPerSecond,
  writesPerSecond,
} from './attack.ts';

/** Opens many connections as fast as the rate limit permits. All of them end with the attack. */
async function holdOpen(
  scene: AttackScene,
  { count, perSecond }: { count: number; perSecond: number },
  open: (at: number, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const ending = new AbortController();
  const startedAt = performance.now();
  const all: Promise<unknown>[] = [];
  while (scene.isOn()) {
    // A rate limit permits a burst of two seconds' worth of connections.
    const permitted = perSecond * (2 + (performance.now() - startedAt) / 1_000);
    while (all.length < Math.min(count, permitted))
      all.push(open(all.length, ending.signal).catch(() => undefined));
    await delay(50);
  }
  ending.abort();
  await Promise.all(all);
}

/** Opens an answer and reads nothing of it. */
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

/** Announces a large body, and sends one byte of it now and then. */
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

/** Opens a connection and sends these parts one after the other without end, with a pause before each. */
const crawl =
  ({ baseUrl }: AttackScene, parts: (at: number) => string, pauseMs: number) =>
  async (_at: number, signal: AbortSignal): Promise<void> => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.resume();
    for (let at = 0; !signal.aborted && !socket.destroyed; at++) {
      socket.write(parts(at));
      await delay(pauseMs);
    }
    socket.destroy();
  };

/** Sends the same bytes repeatedly, each time on a new connection, and drops the answers. */
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

/** Connections that are held open, or send their bytes in a hostile way. */
export const connections: readonly Attack[] = [
  {
    name: 'reads that wait for what never comes',
    run: (scene) =>
      holdOpen(scene, { count: readsPerSecond, perSecond: readsPerSecond }, async (_at, signal) => {
        const points = Array.from({ length: 20 }, (_, point) => [
          ...[scene.chainId, 4_000_000_000 + point, scene.recordId, null],
        ]);
        const text = JSON.stringify(points);
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
    name: 'headers that come line by line',
    run: (scene) =>
      holdOpen(
        scene,
        { count: 1_000, perSecond: 1_000 },
        crawl(
          scene,
          (at) => (at === 0 ? 'GET /v0/agreements HTTP/1.1\r\nhost: a\r\n' : `x-${at}: a\r\n`),
          200,
        ),
      ),
  },
  {
    name: 'connections that say nothing',
    run: (scene) =>
      holdOpen(
        scene,
        { count: 4_000, perSecond: 4_000 },
        crawl(scene, () => '', 500),
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
];
