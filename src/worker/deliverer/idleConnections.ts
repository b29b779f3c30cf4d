import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { errors } from 'undici';

type Ends = {
  localAddress?: string | undefined;
  localPort?: number | undefined;
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
};

/** How much each open connection had brought when its present request was sent; it carries one at a time. */
const readBefore = new Map<string, number>();
let isWatching = false;

/** Has connections followed from now on, all of this process: `wasIdle` knows of no other. */
export function watchConnections(): void {
  if (isWatching) return;
  isWatching = true;
  subscribe('undici:client:sendHeaders', noteRequest);
}

/** Whether a request met a connection that had brought answers before, and broke without a byte of this one's. */
export function wasIdle(error: unknown): boolean {
  if (!(error instanceof errors.SocketError) || !error.socket) return false;
  const before = readBefore.get(nameOf(error.socket)) ?? 0;
  return before > 0 && error.socket.bytesRead === before;
}

function noteRequest(message: unknown): void {
  if (typeof message !== 'object' || message === null || !('socket' in message)) return;
  const { socket } = message;
  if (!(socket instanceof Socket)) return;
  const name = nameOf(socket);
  // Whoever has sent the request hears of the end within the same turn.
  if (!readBefore.has(name)) socket.once('close', () => setImmediate(() => readBefore.delete(name)));
  readBefore.set(name, socket.bytesRead);
}

function nameOf({ localAddress, localPort, remoteAddress, remotePort }: Ends): string {
  return [localAddress, localPort, remoteAddress, remotePort].join(' ');
}
