import { MalformedError, ServiceError } from '../../platform/errors/serviceError.ts';
import { mostChunks } from '../../platform/http/guardChunks.ts';
import { PayloadTooLargeError, UnsupportedMediaTypeError } from '../../platform/http/requestErrors.ts';
import { leaveTurn } from '../../platform/turns/leaveTurn.ts';
import { measureJson } from './measureJson.ts';

const jsonMediaType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

type BodyLimits = { readonly limitBytes: number; readonly limitValues: number };

/**
 * The parsed body of a request. Never holds more than the limit, whatever the sender announces, and never
 * parses a body with too many values. `bytes` is the body if it was read before.
 *
 * @throws UnsupportedMediaTypeError unless the body is JSON in UTF-8, not compressed.
 * @throws PayloadTooLargeError as soon as it exceeds a limit.
 * @throws MalformedError if the body is not JSON, or if body and content type are both missing.
 */
export async function readJsonBody(
  request: Request,
  { limitBytes, limitValues, bytes }: BodyLimits & { bytes?: Uint8Array | undefined },
): Promise<unknown> {
  const mediaType = request.headers.get('content-type');
  // A request without a body has no content type.
  if (mediaType === null) requireBody(bytes ?? (await readBodyBytes(request, limitBytes)));
  if (!jsonMediaType.test(mediaType ?? ''))
    throw new UnsupportedMediaTypeError('The body must be sent as application/json in UTF-8.');
  if (!/^(identity)?$/i.test(request.headers.get('content-encoding') ?? ''))
    throw new UnsupportedMediaTypeError('The body must not be compressed.');
  const sent = bytes ?? (await readBodyBytes(request, limitBytes));
  const startedAt = performance.now();
  requireFewParts(sent, limitValues);
  const parsed = parseJson(sent);
  if (sent.byteLength > largeBytes) await leaveTurn(startedAt);
  return parsed;
}

/** Objects with more members are slow to create, read and write; no meaningful object has half as many. */
const limitMembers = 4_096;

/** @throws PayloadTooLargeError for a body that would take long to be parsed, and everything after it. */
function requireFewParts(bytes: Uint8Array, limitValues: number): void {
  const { values, members } = measureJson(bytes, limitValues);
  if (values > limitValues)
    throw new PayloadTooLargeError(`The body must have no more than ${limitValues} values.`, { limitValues });
  if (members > limitMembers)
    throw new PayloadTooLargeError(`An object in the body must have no more than ${limitMembers} members.`, {
      limitMembers,
    });
}

/** Each step of reading a larger body takes milliseconds. */
const largeBytes = 32_768;

/**
 * @throws PayloadTooLargeError as soon as the body exceeds the limit, or comes in too many chunks.
 * @throws MalformedError if the connection ends before the body. Nobody reads that answer, but the log and the metrics do.
 */
export async function readBodyBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  try {
    return await readAllBytes(request, limitBytes);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new MalformedError('The request ended before its body was complete.');
  }
}

async function readAllBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
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
    if (chunks.length === mostChunks)
      throw new PayloadTooLargeError(`The body must be sent in no more than ${mostChunks} chunks.`, {
        limitChunks: mostChunks,
      });
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
