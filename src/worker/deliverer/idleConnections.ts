import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { errors } from 'undici';

type Ends = {
  localAddress?: string | undefined;
  localPort?: number | undefined;
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
};

/**
 * Bytes received on each open connection before its current request; a connection carries one request at a
 * time.
 */
const readBefore = new Map<string, number>();
let isWatching = false;

/** Follows all later connections of this process; the functions below know only these. */
export function watchConnections(): void {
  if (isWatching) return;
  isWatching = true;
  subscribe('undici:client:sendHeaders', noteRequest);
}

/**
 * Whether a request used a connection that had carried answers before, and that broke before the first byte
 * of this answer.
 */
export function wasIdle(error: unknown): boolean {
  if (!(error instanceof errors.SocketError) || !error.socket) return false;
  const before = readBefore.get(nameOf(error.socket)) ?? 0;
  return before > 0 && error.socket.bytesRead === before;
}

/** Bytes received on a connection before its current request. */
export const bytesBeforeRequest = (socket: Socket): number => readBefore.get(nameOf(socket)) ?? 0;

function noteRequest(message: unknown): void {
  if (typeof message !== 'object' || message === null || !('socket' in message)) return;
  const { socket } = message;
  if (!(socket instanceof Socket)) return;
  const name = nameOf(socket);
  // The sender of the request learns of the end within the same turn.
  if (!readBefore.has(name)) socket.once('close', () => setImmediate(() => readBefore.delete(name)));
  readBefore.set(name, socket.bytesRead);
}

function nameOf({ localAddress, localPort, remoteAddress, remotePort }: Ends): string {
  return [localAddress, localPort, remoteAddress, remotePort].join(' ');
}
