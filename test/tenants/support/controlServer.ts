import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/**
 * A server that nobody attacks, in a separate process. Its answers take a few short steps, like those of the
 * service. If it is slower during an attack, the machine is too small or too busy. Prints its port.
 */
const steps = 3;
const work = JSON.stringify(Array.from({ length: 200 }, (_, at) => ({ name: `n${at}`, at })));

const server = createServer(async (_request, response) => {
  for (let step = 0; step < steps; step++) {
    JSON.stringify(JSON.parse(work));
    await setImmediate();
  }
  response.end(work);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(port);
});
