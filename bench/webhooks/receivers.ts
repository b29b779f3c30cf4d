import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Receivers with their own addresses on the loopback interface, all in this process: `<count>` quick ones, a
 * slow one, a dead one.
 */
const count = Number(process.argv[2]);
const slowMs = 2_000;
let received = 0;
let firstAt = 0;
let lastAt = 0;

const quick: RequestListener = (request, response) => {
  request.resume().on('end', () => {
    lastAt = Date.now();
    if (received++ === 0) firstAt = lastAt;
    response.writeHead(204).end();
  });
};
const slow: RequestListener = (request, response) => {
  request.resume().on('end', () => setTimeout(() => response.end(), slowMs));
};
const dead: RequestListener = (request) => {
  request.resume();
};

async function open(host: string, listener: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return `http://${host}:${(server.address() as AddressInfo).port}/hook`;
}

const urls = await Promise.all(
  Array.from({ length: count }, (_, at) => open(`127.9.${Math.floor(at / 200)}.${(at % 200) + 1}`, quick)),
);
const [slowUrl, deadUrl] = [await open('127.10.0.1', slow), await open('127.10.0.2', dead)];
process.on('message', (message) => {
  if (typeof message !== 'object' || message === null || !('ask' in message)) return;
  if (message.ask === 'urls') process.send?.({ kind: 'receivers', urls, slowUrl, deadUrl });
  else {
    process.send?.({ kind: 'count', received, firstAt, lastAt });
    if (message.ask === 'reset') received = 0;
  }
});
process.on('disconnect', () => process.exit(0));
