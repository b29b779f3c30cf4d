import { MalformedError } from '../errors/serviceError.ts';
import { PayloadTooLargeError, UnsupportedMediaTypeError } from './requestErrors.ts';

const jsonMediaType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The parsed body of a request. No more than the limit is ever held, whatever the sender announces. `bytes` are the body where
 * it was read before.
 *
 * @throws UnsupportedMediaTypeError unless the body is JSON in UTF-8, not compressed.
 * @throws PayloadTooLargeError as soon as it exceeds the limit.
 * @throws MalformedError where it is no JSON, or where there is neither a body nor a type of one.
 */
export async function readJsonBody(
  request: Request,
  { limitBytes, bytes }: { limitBytes: number; bytes?: Uint8Array | undefined },
): Promise<unknown> {
  const mediaType = request.headers.get('content-type');
  // Whoever sends no body has none to name the type of.
  if (mediaType === null) requireBody(bytes ?? (await readBodyBytes(request, limitBytes)));
  if (!jsonMediaType.test(mediaType ?? ''))
    throw new UnsupportedMediaTypeError('The body must be sent as application/json in UTF-8.');
  if (request.headers.has('content-encoding'))
    throw new UnsupportedMediaTypeError('The body must not be compressed.');
  return parseJson(bytes ?? (await readBodyBytes(request, limitBytes)));
}

/** @throws PayloadTooLargeError as soon as the body exceeds the limit. */
export async function readBodyBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new PayloadTooLargeError(`The body must have no more than ${limitBytes} bytes.`, { limitBytes });
  const announced = request.headers.get('content-length');
  if (announced !== null) {
    if (Number(announced) > limitBytes) throw tooLarge();
    // The server reads no more than was announced.
    return new Uint8Array(await request.arrayBuffer());
  }
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > limitBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function requireBody(bytes: Uint8Array): void {
  if (bytes.byteLength === 0) throw new MalformedError('The body is missing.');
}

function parseJson(bytes: Uint8Array): unknown {
  requireBody(bytes);
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) throw new MalformedError('The body is not valid JSON.');
    throw new MalformedError('The body is not valid UTF-8.');
  }
}
