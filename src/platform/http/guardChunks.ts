import type { IncomingMessage } from 'node:http';

/**
 * The most parts of a body that is sent in chunks. Each takes as long to read as a kilobyte, and usual
 * clients send a few kilobytes in each.
 */
export const mostChunks = 1_024;

/**
 * Lets one chunk more than allowed through to the reader, who refuses the body. The rest is dropped where it
 * is parsed, and no more is read from the connection: a body of half a million chunks would cost seconds and
 * a hundred megabytes even if nobody read it.
 */
export function guardChunks(incoming: IncomingMessage): void {
  if (incoming.headers['transfer-encoding'] === undefined) return;
  const push = incoming.push.bind(incoming);
  let chunks = 0;
  incoming.push = (chunk: unknown, encoding) => {
    if (chunk === null || chunks <= mostChunks) {
      chunks++;
      return push(chunk, encoding);
    }
    // Node.js stops reading from the connection.
    return false;
  };
}
