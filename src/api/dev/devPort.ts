import { findFreePort } from './freePort.ts';

const usualPort = 3000;

/** A port that somebody named is taken by another program. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

/**
 * The port of the API: the one that `PORT` names, else the one of the last start, so that addresses stay good, else 3000 or a
 * free one.
 *
 * @throws PortTakenError where `PORT` names one that is taken.
 */
export async function chooseApiPort(options: {
  configured: string | undefined;
  last: number | undefined;
}): Promise<{ port: number; taken: number | undefined }> {
  const wanted = options.configured ? Number(options.configured) : (options.last ?? usualPort);
  const port = await findFreePort(wanted);
  if (port === wanted || wanted === 0) return { port, taken: undefined };
  if (options.configured)
    throw new PortTakenError(`PORT=${wanted} is taken by another program: free it or name another.`);
  return { port, taken: wanted };
}
