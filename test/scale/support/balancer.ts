import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** An API behind the balancer. */
export type Target = {
  readonly name: string;
  readonly port: number;
  /** The port of its readiness check. */
  readonly internalPort: number;
};

export type Balancer = {
  readonly baseUrl: string;
  add(target: Target): void;
  remove(target: Target): void;
  isReady(target: Target): boolean;
  /** The number of answered requests, by the API's name. */
  readonly served: Map<string, number>;
  /**
   * Failures that callers should never see: answers from 500, broken connections, and requests for which no
   * API was ready.
   */
  readonly failures: string[];
  close(): Promise<void>;
};

const checkIntervalMs = 100;
const checkTimeoutMs = 30_000;
/** An API that does not answer for a moment stays in the balancer. */
const failuresToLeave = 3;

/**
 * A balancer as operators use them. It polls each API's readiness, and passes requests in turn to the APIs
 * that are ready: an API becomes ready with an answer 200, and leaves after three failures in a row. It keeps
 * its connections to the APIs, and never retries a request.
 */
export async function startBalancer(): Promise<Balancer> {
  const members = new Map<Target, { agent: Agent; isReady: boolean; failures: number }>();
  const served = new Map<string, number>();
  const failures: string[] = [];
  let turn = 0;
  const nextTarget = () => {
    const ready = [...members].filter(([, { isReady }]) => isReady);
    return ready[turn++ % ready.length];
  };
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = '', url = '', headers } = incoming;
    const next = nextTarget();
    const fail = (what: string) => {
      failures.push(`${method} ${url}: ${what}`);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end();
    };
    if (!next) return fail('no API is ready');
    const [{ name, port }, { agent }] = next;
    const { connection: _, ...passedOn } = headers;
    const options = { host: '127.0.0.1', port, method, path: url, headers: passedOn, agent };
    const upstream = request(options, (response) => {
      const { statusCode = 0 } = response;
      served.set(name, (served.get(name) ?? 0) + 1);
      if (statusCode >= 500) failures.push(`${method} ${url}: ${name} answered ${statusCode}`);
      const { connection: __, 'keep-alive': ___, ...answered } = response.headers;
      outgoing.writeHead(statusCode, answered);
      response.once('error', (error) => fail(`${name} broke off: ${error.message}`));
      response.pipe(outgoing);
    });
    upstream.once('error', (error) => fail(`the connection to ${name} failed: ${error.message}`));
    incoming.pipe(upstream);
  };
  const server = createServer(pass);
  // Only the callers end their connections.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the balancer listens on no port');

  const check = async (target: Target) => {
    for (;;) {
      const isReady = await askReadiness(target);
      const member = members.get(target);
      if (!member) return;
      member.failures = isReady ? 0 : member.failures + 1;
      member.isReady = isReady || (member.isReady && member.failures < failuresToLeave);
      await delay(checkIntervalMs);
    }
  };
  const remove = (target: Target) => {
    members.get(target)?.agent.destroy();
    members.delete(target);
  };
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    served,
    failures,
    add(target) {
      members.set(target, { agent: new Agent({ keepAlive: true }), isReady: false, failures: 0 });
      void check(target);
    },
    remove,
    isReady: (target) => members.get(target)?.isReady === true,
    async close() {
      for (const target of [...members.keys()]) remove(target);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function askReadiness({ internalPort }: Target): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(checkTimeoutMs);
    const response = await fetch(`http://127.0.0.1:${internalPort}/ready`, { signal });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
