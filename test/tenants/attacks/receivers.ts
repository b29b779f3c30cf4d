import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Attack,
  type AttackScene,
  flood,
  get,
  long,
  post,
  times,
  withRequests,
  writesPerSecond,
} from './attack.ts';

/** A receiver of webhooks on loopback with a given behaviour. */
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

/** Sends `head`, and then `piece` for as long as it is read. */
const pour =
  (head: string, piece: string): Parameters<typeof createServer>[1] =>
  ({ socket }) => {
    const block = piece.repeat(Math.max(1, Math.floor(16_384 / piece.length)));
    const write = () => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('error', () => undefined);
    socket.on('drain', write);
    socket.write(head);
    write();
  };

/** Receivers of webhooks that misbehave. */
export const receivers: readonly Attack[] = [
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
  {
    name: 'a receiver whose interim responses have no end',
    run: (scene) =>
      withReceiver(scene, pour('', `HTTP/1.1 103 Early Hints\r\n${'a:\r\n'.repeat(3_900)}\r\n`)),
  },
  {
    name: 'a receiver that answers in chunks of one byte',
    run: (scene) =>
      withReceiver(scene, pour('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n')),
  },
  {
    name: 'webhooks made and disabled, and pages of them',
    async run(scene) {
      const filters = { templateIds: times(5, () => long('\u0001', 1_000)) };
      const body = { url: 'http://127.0.0.1:9/', filters };
      while (scene.isOn()) {
        const [id] = /wh_[0-9a-f]{32}/.exec(await scene.send(post('/webhooks', body))) ?? [];
        if (id) await scene.send({ ...post(`/webhooks/${id}`, undefined), method: 'DELETE' });
        await scene.send(get('/webhooks?limit=100'));
        await delay(2_000 / writesPerSecond);
      }
    },
  },
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
