import { findFreePort } from './freePort.ts';

const usualPort = 3000;
const highestPort = 65_535;

/** The port that somebody named cannot be used. */
export class PortError extends Error {
  override readonly name = 'PortError';
}

/**
 * The port of the API: the one that `PORT` names, else the one of the last start, so that addresses stay good, else 3000 or a
 * free one.
 *
 * @throws PortError where `PORT` names one that is taken, or none.
 */
export async function chooseApiPort(options: {
  configured: string | undefined;
  last: number | undefined;
}): Promise<{ port: number; taken: number | undefined }> {
  if (options.configured && !(Number(options.configured) <= highestPort))
    throw new PortError(`PORT=${options.configured} is no port.`);
  const wanted = options.configured ? Number(options.configured) : (options.last ?? usualPort);
  const port = await findFreePort(wanted);
  if (port === wanted || wanted === 0) return { port, taken: undefined };
  if (options.configured)
    throw new PortError(`PORT=${wanted} is taken by another program: free it or name another.`);
  return { port, taken: wanted };
}
