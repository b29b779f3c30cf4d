/**
 * The receiver's side of webhooks. This file has no dependencies and runs in Node, browsers and workers, so
 * that you can copy it into any receiver.
 */

type EventOf<Type extends string, Data> = {
  /** The same for every attempt, even after a redelivery: a known id is a repeated event. */
  readonly id: string;
  readonly type: Type;
  readonly apiVersion: typeof webhookApiVersion;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly data: Data;
};

type Transition = {
  readonly fromState: string;
  readonly toState: string;
  readonly inputId: string;
};

/** An agreement was deployed (`inputId` is `__deploy` and `fromState` empty), or an input has changed its state. */
export type TransitionedEvent = EventOf<
  'agreement.transitioned',
  Transition & {
    readonly agreementId: string;
    readonly agreementName: string;
    readonly templateId: string;
    /**
     * The number of the transition in its agreement; the deployment is 0. Drop numbers lower than one already
     * seen.
     */
    readonly sequence: number;
  }
>;

/** A notification rule of an agreement has fired for one recipient. */
export type NotificationEvent = EventOf<
  'agreement.notification.triggered',
  {
    readonly agreementId: string;
    readonly agreementName: string;
    readonly templateId: string;
    readonly notificationTemplateId: string;
    readonly ruleId: string;
    readonly triggerType: 'onTransition' | 'temporal';
    readonly recipient: string;
    readonly notification: {
      readonly subject: string;
      readonly title?: string;
      readonly body: string;
      readonly ctaLabel?: string;
      readonly attachmentStrategy?: { readonly type: 'customerInvoicePdf'; readonly variant: string };
    };
    readonly variables?: Readonly<Record<string, unknown>>;
    /** Absent if a rule of time fired. */
    readonly transition?: Transition & { readonly occurredAt: string };
  }
>;

/** The event of a subscription's test route. */
export type TestEvent = EventOf<'webhook.test', Readonly<Record<string, never>>>;

export type WebhookEvent = TransitionedEvent | NotificationEvent | TestEvent;

/** The version of the envelope that this file supports. */
export const webhookApiVersion = '2026-06-01';
const types: readonly string[] = [
  'agreement.transitioned',
  'agreement.notification.triggered',
  'webhook.test',
] satisfies readonly WebhookEvent['type'][];

/** Why a request is not accepted as a webhook of the service. */
export type WebhookFault =
  | 'missing_headers'
  | 'malformed_headers'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'malformed_body'
  | 'unsupported_version'
  | 'unsupported_type'
  | 'id_mismatch';

/** The request is not a trusted webhook, or this file does not understand it. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookFault;

  constructor(reason: WebhookFault, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Headers of a request, in the form of `fetch`, Node, Express or Hono; names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerificationOptions = {
  /** How far the sender's clock may differ from this one, in either direction. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Default: the present. */
  readonly now?: Date;
};

const defaultToleranceSeconds = 300;

/**
 * Verifies a webhook and returns its event. Each delivery is signed twice: in the service's own headers
 * (`x-svc-webhook-…`) and in those of the Standard Webhooks specification (`webhook-…`). One valid signature
 * with any of the given secrets is enough. Signatures are compared in constant time, and the body is parsed
 * only after one was valid. A delivery can arrive more than once: store the event by its `id`, only then
 * answer 2xx, and answer 2xx if the id is already stored.
 *
 * @param rawBody the body as it was received, byte by byte: parsed and serialised again it is another one.
 * @param secret the subscription's secret (`whsec_…`); while a rotation is under way, the old and the new one.
 * @throws WebhookVerificationError for a request that is not to be trusted; `reason` says why.
 * @throws TypeError for a secret, tolerance or body that no verification can be made with: a mistake in the receiver.
 *
 * @example
 * const event = await verifyWebhook(await request.text(), request.headers, secret);
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = defaultToleranceSeconds, now = new Date() }: VerificationOptions = {},
): Promise<WebhookEvent> {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array))
    throw new TypeError('verifyWebhook needs the raw body, as text or bytes, and not what was parsed of it.');
  if (!(toleranceSeconds >= 0) || Number.isNaN(now.getTime()))
    throw new TypeError('The tolerance must be 0 or more, and the time a valid one.');
  const secrets = requireSecrets([secret].flat());
  const body = typeof rawBody === 'string' ? utf8.encode(rawBody) : rawBody;
  const signed = families.map((family) => readSigned(family, headers)).filter((found) => found !== undefined);
  await requireSignature(signed, { secrets, body, toleranceSeconds, nowSeconds: now.getTime() / 1000 });
  const event = parseEvent(body);
  if (signed.some(({ id }) => id !== event.id))
    throw new WebhookVerificationError('id_mismatch', 'The id in the headers is not that of the body.');
  return event;
}

/** A family of signature headers, and its way of signing. */
type Family = {
  readonly prefix: string;
  /** The signatures, of which one must be valid. */
  readonly split: (header: string) => readonly string[];
  readonly sign: (
    secret: string,
    message: { id: string; timestamp: string; body: Uint8Array },
  ) => Promise<string>;
};

const secretPrefix = 'whsec_';
const utf8 = new TextEncoder();

const signOwn: Pick<Family, 'split' | 'sign'> = {
  split: (header) => [header.toLowerCase()],
  async sign(secret, { timestamp, body }) {
    const digest = await hmac(utf8.encode(secret), [utf8.encode(`${timestamp}.`), body]);
    return `sha256=${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  },
};

const families: readonly Family[] = [
  { prefix: 'x-svc-webhook', ...signOwn },
  { prefix: 'x-shodai-webhook', ...signOwn },
  {
    prefix: 'webhook',
    split: (header) => header.split(' '),
    async sign(secret, { id, timestamp, body }) {
      const key = decodeBase64(secret.slice(secretPrefix.length));
      const digest = await hmac(key, [utf8.encode(`${id}.${timestamp}.`), body]);
      return `v1,${btoa(String.fromCharCode(...digest))}`;
    },
  },
];

async function hmac(key: Uint8Array, parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', join([key]), algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, join(parts)));
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Accepts both alphabets; other characters are skipped. */
function decodeBase64(text: string): Uint8Array {
  const digits = text
    .replace(/-/g, '+')
    .replace(/_/g, '/')
    .replace(/[^A-Za-z0-9+/]/g, '');
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
}

type Signed = {
  readonly family: Family;
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
};

/** Undefined if the request lacks headers of the family. */
function readSigned(family: Family, headers: WebhookHeaders): Signed | undefined {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((part) =>
    findHeader(headers, `${family.prefix}-${part}`),
  );
  return id && timestamp && signature ? { family, id, timestamp, signature } : undefined;
}

function findHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (hasGetter(headers)) return headers.get(name) ?? undefined;
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  if (values.length <= 1) return values[0];
  throw new WebhookVerificationError('malformed_headers', `The header ${name} is there more than once.`);
}

function hasGetter(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

type Check = {
  readonly secrets: readonly string[];
  readonly body: Uint8Array;
  readonly toleranceSeconds: number;
  readonly nowSeconds: number;
};

/** @throws WebhookVerificationError unless one of the signatures is right and of this time. */
async function requireSignature(signed: readonly Signed[], check: Check): Promise<void> {
  if (signed.length === 0)
    throw new WebhookVerificationError('missing_headers', 'The headers of a signed webhook are missing.');
  const verdicts = await Promise.all(signed.map((candidate) => isRight(candidate, check)));
  const right = signed.filter((_, at) => verdicts[at]);
  // A wrong signature reveals nothing else.
  if (right.length === 0)
    throw new WebhookVerificationError('signature_mismatch', 'No signature is one of this body by a secret.');
  const faults = right.map(({ timestamp }) => findTimeFault(timestamp, check));
  const [fault] = faults;
  if (fault === undefined || faults.includes(undefined)) return;
  throw new WebhookVerificationError(fault, `The timestamp is more than ${check.toleranceSeconds} s off.`);
}

async function isRight(
  { family, id, timestamp, signature }: Signed,
  { secrets, body }: Check,
): Promise<boolean> {
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('malformed_headers', 'The timestamp is not in Unix seconds.');
  const given = family.split(signature);
  const expected = await Promise.all(secrets.map((secret) => family.sign(secret, { id, timestamp, body })));
  return expected.some((one) => given.some((other) => isSame(one, other)));
}

function findTimeFault(timestamp: string, { toleranceSeconds, nowSeconds }: Check): WebhookFault | undefined {
  const ageSeconds = nowSeconds - Number(timestamp);
  if (ageSeconds > toleranceSeconds) return 'timestamp_too_old';
  return ageSeconds < -toleranceSeconds ? 'timestamp_too_new' : undefined;
}

/** Takes time that depends only on the lengths. */
function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

const shortestSecret = 32;

/** Without this check, an unset environment variable would be a secret that everybody knows. */
function requireSecrets(secrets: readonly string[]): readonly string[] {
  const isUsable = (secret: unknown) =>
    typeof secret === 'string' && secret.startsWith(secretPrefix) && secret.length >= shortestSecret;
  if (secrets.length > 0 && secrets.every(isUsable)) return secrets;
  throw new TypeError('The secret must be the whsec_… that the subscription was created with.');
}

/** @throws WebhookVerificationError for a body that is no envelope, or one of another version or type. */
function parseEvent(body: Uint8Array): WebhookEvent {
  const envelope = parseJson(body);
  if (!isEnvelope(envelope))
    throw new WebhookVerificationError('malformed_body', 'The body is not the envelope of an event.');
  if (envelope.apiVersion !== webhookApiVersion)
    throw new WebhookVerificationError('unsupported_version', 'The event is of another version.');
  if (isEvent(envelope)) return envelope;
  throw new WebhookVerificationError('unsupported_type', 'The event is of a type that is not known here.');
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

type Envelope = { id: string; type: string; apiVersion: string; createdAt: string; data: object };

function isEnvelope(value: unknown): value is Envelope {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    value.id !== '' &&
    typeof value.type === 'string' &&
    typeof value.apiVersion === 'string' &&
    typeof value.createdAt === 'string' &&
    !Number.isNaN(Date.parse(value.createdAt)) &&
    isObject(value.data)
  );
}

/** The data themselves are not checked: the service's signature was valid. */
function isEvent(envelope: Envelope): envelope is Envelope & WebhookEvent {
  return types.includes(envelope.type);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
