import { type ApiError, createApiError, type ErrorDetails, InvalidResponseError } from '../errors.ts';

/** Metadata of an answer. */
export type Meta = {
  readonly apiVersion: string;
  readonly requestId: string;
  /** After a write: the token for a later read that must show it. */
  readonly consistency?: string;
  /** Warnings as texts that begin with their location. */
  readonly warnings?: readonly string[];
  /** The same in parts. */
  readonly warningDetails?: readonly { readonly path: string; readonly message: string }[];
};

export type JsonObject = { readonly [name: string]: unknown };

/**
 * The JSON object of a successful answer.
 *
 * @throws ApiError for an error of the service.
 * @throws InvalidResponseError for what the service does not answer.
 */
export async function readJson(response: Response, sentId: string): Promise<JsonObject> {
  return parseAnswer(response, { text: await response.text(), sentId });
}

/** The text of a successful answer; errors as in `readJson`. */
export async function readText(response: Response, sentId: string): Promise<string> {
  const text = await response.text();
  if (response.ok) return text;
  throw readError(response, { text, sentId });
}

/** The text of an evidence file, or the JSON object that reports its progress; errors as in `readJson`. */
export async function readEvidence(response: Response, sentId: string): Promise<string | JsonObject> {
  const text = await readText(response, sentId);
  return text.startsWith('{"format":') ? text : parseAnswer(response, { text, sentId });
}

/** The body of a successful answer as a stream; errors as in `readJson`. */
export async function readStream(response: Response, sentId: string): Promise<ReadableStream<Uint8Array>> {
  if (response.ok && response.body) return response.body;
  throw readError(response, { text: await response.text(), sentId });
}

type Answer = { readonly text: string; readonly sentId: string };

function parseAnswer(response: Response, answer: Answer): JsonObject {
  const body = parseObject(answer.text);
  if (response.ok && body) return body;
  throw readError(response, answer);
}

function readError(response: Response, { text, sentId }: Answer): ApiError | InvalidResponseError {
  const { ok, status, headers } = response;
  const requestId = headers.get('x-request-id') ?? sentId;
  const error = parseObject(text)?.error;
  const retryAfterSeconds = readRetryAfter(headers.get('retry-after') ?? '');
  if (isObject(error) && typeof error.code === 'string' && typeof error.message === 'string') {
    const { code, message, requestId: own } = error;
    const details: ErrorDetails | undefined = isObject(error.details) ? error.details : undefined;
    const id = typeof own === 'string' ? own : requestId;
    return createApiError(message, { status, code, details, retryAfterSeconds, requestId: id });
  }
  // Proxies answer in their own words; only their status counts.
  const code = codesByStatus[status];
  // A redirect is not followed; pages see it as status 0.
  const message = ok ? 'The answer is no JSON object.' : `The answer is ${status} without an error.`;
  return code
    ? createApiError(message, { status, code, retryAfterSeconds, requestId })
    : new InvalidResponseError(message, { status, requestId });
}

const codesByStatus: Readonly<Record<number, string>> = {
  413: 'payload_too_large',
  429: 'rate_limited',
  503: 'chain_unavailable',
};

/** Seconds, from a number or a date. */
function readRetryAfter(header: string): number | undefined {
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return seconds >= 0 ? seconds : undefined;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
