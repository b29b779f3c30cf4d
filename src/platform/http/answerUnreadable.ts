import type { Duplex } from 'node:stream';
import { MalformedError } from '../errors/serviceError.ts';
import { describeError, errorResponse } from './errorResponse.ts';
import { chooseRequestId } from './requestId.ts';

const messages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request target and headers are too long.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

/**
 * Answers input that is not valid HTTP, or whose head is too long, with 400 and the error object of every
 * other refusal, and closes the connection.
 */
export async function answerUnreadable(error: Error, socket: Duplex): Promise<void> {
  const code = 'code' in error ? String(error.code) : '';
  const message = messages[code] ?? 'The request is not valid HTTP.';
  const requestId = chooseRequestId(null);
  const response = errorResponse(describeError(new MalformedError(message)), requestId);
  const text = await response.text();
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const headers = [
    ...response.headers,
    ['content-length', String(Buffer.byteLength(text))],
    ['connection', 'close'],
  ];
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 400 Bad Request\r\n${head}\r\n${text}`);
}
