import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** From 32,768 on, Linux uses ports for outgoing connections, even ones that were just found free. */
const [lowest, highest] = [10_240, 32_767];
const attempts = 100;
/** One after the other: a port that was given away may not be bound yet. */
let next = randomInt(lowest, highest + 1);

/** The requested TCP port of the loopback interface if nothing listens on it, otherwise any free one. */
export async function findFreePort(wanted?: number): Promise<number> {
  if (wanted && (await isFree(wanted))) return wanted;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = next;
    next = port < highest ? port + 1 : lowest;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${lowest} to ${highest} is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen({ port, host: '127.0.0.1' }, () => server.close(() => resolve(true)));
  });
}
