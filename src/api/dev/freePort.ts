import { createServer } from 'node:net';

/** The wanted TCP port of the loopback interface where nothing listens on it, otherwise any free one. */
export async function findFreePort(wanted = 0): Promise<number> {
  try {
    return await tryPort(wanted);
  } catch (error) {
    if (wanted === 0) throw error;
    return tryPort(0);
  }
}

function tryPort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => {
      const address = server.address();
      const found = typeof address === 'object' && address ? address.port : port;
      server.close(() => resolve(found));
    });
  });
}
