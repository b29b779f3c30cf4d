import { createServer } from 'node:net';

const highestPort = 65_535;

/** The configured port cannot be used. */
export class PortError extends Error {
  override readonly name = 'PortError';
}

/** A port reserved until it is released to its server. */
export type ReservedPort = {
  port: number;
  /** The requested port, if another program has it. */
  taken: number | undefined;
  release(): Promise<void>;
};

/**
 * Reserves the configured port, or else the port of the last start, so that addresses stay valid, or else the
 * usual one or any free one.
 *
 * @throws PortError if the setting names a port that is taken, or none.
 */
export async function reservePort(options: {
  setting: string;
  configured: string | undefined;
  last: number | undefined;
  usual: number;
}): Promise<ReservedPort> {
  const { setting, configured, last, usual } = options;
  if (configured && !(/^\d+$/.test(configured) && Number(configured) <= highestPort))
    throw new PortError(`${setting}=${configured} is no port.`);
  const wanted = configured ? Number(configured) : (last ?? usual);
  const reserved = await listen(wanted);
  if (reserved) return { ...reserved, taken: undefined };
  if (configured)
    throw new PortError(
      `${setting}=${configured} is taken by another program: free it, or name another port.`,
    );
  const other = await listen(0);
  if (!other) throw new PortError('No port is free.');
  return { ...other, taken: wanted };
}

/** Listens without accepting connections; undefined if another program has the port. */
function listen(wanted: number): Promise<Omit<ReservedPort, 'taken'> | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Omit<ReservedPort, 'taken'> | undefined>();
  const server = createServer((socket) => socket.destroy());
  server.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') resolve(undefined);
    else reject(error);
  });
  server.listen({ port: wanted, host: '127.0.0.1' }, () => {
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : wanted;
    resolve({ port, release: () => new Promise((done) => server.close(() => done())) });
  });
  // A reservation that is never released must not keep the process alive.
  server.unref();
  return promise;
}
