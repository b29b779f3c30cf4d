import { once } from 'node:events';
import { connect } from 'node:net';

/** A server's answer to bytes that no client would send. It must close the connection. */
export async function exchange(url: string, sent: string): Promise<{ head: string; body: string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const received: string[] = [];
  socket.on('data', (chunk) => received.push(String(chunk)));
  socket.write(sent);
  await once(socket, 'close');
  const [head = '', body = ''] = received.join('').split('\r\n\r\n');
  return { head, body };
}
