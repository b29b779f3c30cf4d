import {
  AbortedError,
  AgreementsError,
  ApiError,
  ConnectionError,
  type FailureFacts,
  TimeoutError,
} from '../errors.ts';
import { createTokens } from './consistency.ts';
import { type Query, writePath, writeQuery } from './query.ts';
import {
  isObject,
  type JsonObject,
  type Meta,
  readEvidence,
  readJson,
  readStream,
  readText,
} from './readResponse.ts';
import { isInProgress, longestTimerMs, pause, planRetry } from './retry.ts';

/** How to reach the service. */
export type ClientOptions = {
  /** The service's URL, without `/v0`: `https://agreements.example.com`. */
  readonly baseUrl: string;
  /** `agk_…`. Keep it on your server; pages use a session. */
  readonly apiKey?: string | undefined;
  /** Uses the browser's session cookie instead of the key: for pages of the service's own origin. */
  readonly session?: boolean | undefined;
  /** `agl_…`, from the fragment of a signing link: only for `shared`. */
  readonly link?: string | undefined;
  /**
   * Per attempt. Default 30,000; three times as long for a deployment or import, because the service waits for the
   * chain.
   */
  readonly timeoutMs?: number | undefined;
  /** Retries after temporary failures. Default 2. */
  readonly maxRetries?: number | undefined;
  /** The longest wait that a retry grants the service, in seconds: a longer `Retry-After` ends the call. Default 60. */
  readonly maxRetryAfterSeconds?: number | undefined;
  /** Instead of the platform's own. */
  readonly fetch?: typeof fetch | undefined;
  /** Whether reads wait until they show this client's writes. Default true. */
  readonly readYourWrites?: boolean | undefined;
};

/** Options of every call. */
export type CallOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
};

export type ReadOptions = CallOptions & {
  /** A token from `metaOf`, of any client: the read shows that write. */
  readonly consistency?: string | undefined;
};

export type WriteOptions = CallOptions & {
  /** Everything sent under the same key happens once. Default: a new key per call, kept for its retries. */
  readonly idempotencyKey?: string | undefined;
};

export type Call = {
  /** Default: `POST` with a body, otherwise `GET`. */
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  /** With names in braces, which `ids` replace. */
  readonly path: string;
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly accept?: string;
  /** Whether its effect happens once, however often it is repeated. Later reads show it. */
  readonly once?: boolean;
  /** Whether it only reads although it has a body. */
  readonly reads?: boolean;
  readonly slow?: boolean;
  /** The answer is endless: only the caller ends it. */
  readonly endless?: boolean;
  readonly options?: (ReadOptions & WriteOptions) | undefined;
};

export type Transport = {
  /** The whole answer, with the operation's type. */
  json<Answer extends object>(call: Call): Promise<Answer>;
  /** The answer's `data`. */
  data<Answer extends { readonly data: object }>(call: Call): Promise<Answer['data']>;
  text(call: Call): Promise<string>;
  /** A file of evidence, or the answer that reports its progress, in the envelope of every other answer. */
  evidence(call: Call): Promise<string | JsonObject>;
  /** The answer as a stream. */
  stream(call: Call): Promise<ReadableStream<Uint8Array>>;
};

const defaultTimeoutMs = 30_000;
const slowFactor = 3;
const defaultRetries = 2;
const sessionHeader = 'X-Agreements-Session';

const metas = new WeakMap<object, Meta>();

/** An answer's metadata: request id, warnings, consistency token. `result` is a method's return value. */
export function metaOf(result: object): Meta | undefined {
  return metas.get(result);
}

export function createTransport(options: ClientOptions): Transport {
  const { baseUrl, apiKey, session, link, fetch: given, readYourWrites = true } = options;
  const root = parseBaseUrl(baseUrl);
  // The platform would quote them in its error, and they are secret.
  if (/[^!-~]/.test([apiKey, link].join(''))) throw new TypeError('The apiKey or link must be ASCII.');
  if (apiKey !== undefined && session) throw new TypeError('Give an apiKey or a session.');
  const send = given ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
  const tokens = createTokens(readYourWrites);

  async function run<Result>(
    call: Call,
    read: (response: Response, id: string) => Promise<Result>,
  ): Promise<Result> {
    const {
      path,
      ids = {},
      query = {},
      body,
      method = body === undefined ? 'GET' : 'POST',
      accept = 'application/json',
      once,
      options: own = {},
    } = call;
    const asked = method === 'GET' || call.reads ? tokens.take({ path, id: ids.id }) : [];
    const consistency = [...asked, own.consistency].filter(Boolean).join(',') || undefined;
    const url = `${root}/v0${writePath(path, ids)}${writeQuery({ ...query, consistency })}`;
    const headers: Record<string, string> = { accept };
    if (apiKey !== undefined) headers['x-api-key'] = apiKey;
    if (link !== undefined) headers['x-agreements-link'] = link;
    if (once && method === 'POST') headers['idempotency-key'] = own.idempotencyKey ?? createId();
    // A redirect would turn a POST into a GET, and take the key elsewhere.
    const init: RequestInit = { method, headers, redirect: 'manual' };
    if (session) {
      headers[sessionHeader] = '1';
      // Only if needed: some runtimes refuse the member itself.
      init.credentials = 'same-origin';
    }
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(body);
    }
    const timeoutMs = (own.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs) * (call.slow ? slowFactor : 1);
    const maxRetries = own.maxRetries ?? options.maxRetries ?? defaultRetries;

    const nameFailure = (facts: FailureFacts, time: AbortSignal): AgreementsError => {
      if (facts.cause instanceof AgreementsError) return facts.cause;
      if (own.signal?.aborted) return new AbortedError('The call was aborted.', facts);
      if (time.aborted) return new TimeoutError(`No answer within ${timeoutMs} ms.`, facts);
      return new ConnectionError('The connection failed.', facts);
    };

    let busyUntil = 0;
    for (let attempt = 0; ; ) {
      const requestId = createId();
      headers['x-request-id'] = requestId;
      const time = call.endless
        ? new AbortController().signal
        : AbortSignal.timeout(Math.min(timeoutMs, longestTimerMs));
      try {
        const signal = own.signal ? AbortSignal.any([own.signal, time]) : time;
        const result = await read(await send(url, { ...init, signal }), requestId);
        tokens.settle(asked);
        return result;
      } catch (cause) {
        const error = nameFailure({ requestId, cause }, time);
        if (error instanceof ApiError && error.details.field === 'consistency') tokens.settle(asked);
        const delayMs = attempt < maxRetries && planRetry(error, attempt, options.maxRetryAfterSeconds);
        if (!delayMs) throw error;
        // An earlier attempt is still in progress at the service: it may take as long as any attempt.
        busyUntil = isInProgress(error) ? busyUntil || Date.now() + timeoutMs : 0;
        if (Date.now() >= busyUntil) attempt++;
        await pause(delayMs, own.signal, requestId);
      }
    }
  }

  async function json<Answer extends object>(call: Call): Promise<Answer> {
    const answer = await run(call, readJson);
    const meta = isMeta(answer.meta) ? answer.meta : undefined;
    const data = Object(answer.data);
    if (meta) metas.set(data, meta);
    const { id, address, agreementId, agreementAddress } = data;
    if (call.once) tokens.keep(meta?.consistency, [call.ids?.id, id, address, agreementId, agreementAddress]);
    // The OpenAPI document defines a successful answer, and the service is tested against it.
    return answer as Answer;
  }

  return {
    json,
    async data<Answer extends { readonly data: object }>(call: Call): Promise<Answer['data']> {
      const { data } = await json<Answer>(call);
      return data;
    },
    text: (call) => run(call, readText),
    evidence: (call) => run(call, readEvidence),
    stream: (call) => run({ ...call, endless: true }, readStream),
  };
}

/** Browsers have `randomUUID` only on pages with TLS. */
const createId = () => `req_${crypto.getRandomValues(new Uint8Array(16)).join('')}`;

function parseBaseUrl(baseUrl: unknown): string {
  const text = String(baseUrl);
  if (!/^https?:\/\/[^/]/i.test(text)) throw new TypeError('The baseUrl must be an http URL.');
  return text.replace(/(\/v0)?\/*$/, '');
}

function isMeta(value: unknown): value is Meta {
  return isObject(value);
}
