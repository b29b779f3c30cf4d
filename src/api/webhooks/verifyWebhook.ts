import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The receiver's side of webhooks. This file needs nothing but Node itself, so that it can be copied into any receiver.
 */

type EventOf<Type extends string, Data> = {
  /** The same for every attempt, also after a redelivery: a receiver that knows it has had the event. */
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
    /** The number of the transition in its agreement; the deployment is 0. Drop what is lower than one seen before. */
    readonly sequence: number;
  }
>;

/** A notification rule of an agreement has fired, for one recipient. */
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
    /** Absent where time fired the rule. */
    readonly transition?: Transition & { readonly occurredAt: string };
  }
>;

/** What the test route of a subscription sends. */
export type TestEvent = EventOf<'webhook.test', Readonly<Record<string, never>>>;

export type WebhookEvent = TransitionedEvent | NotificationEvent | TestEvent;

/** The version of the envelope that this file knows. */
export const webhookApiVersion = '2026-06-01';
const types: readonly string[] = [
  'agreement.transitioned',
  'agreement.notification.triggered',
  'webhook.test',
] satisfies readonly WebhookEvent['type'][];

/** Why a request is not taken for a webhook of the service. */
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

/** The request is no webhook that can be trusted, or none that this file understands. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookFault;

  constructor(reason: WebhookFault, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Headers of a request, as `fetch`, Node, Express and Hono have them; names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerificationOptions = {
  /** How far the clock of the sender may be from the own one, in either direction. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Default: the present. */
  readonly now?: Date;
};

const defaultToleranceSeconds = 300;

/**
 * Verifies a webhook and returns its event. Each delivery is signed twice, in headers of the service's own (`x-svc-webhook-…`)
 * and in those of the Standard Webhooks specification (`webhook-…`); either signature suffices, made with any of the given
 * secrets. Signatures are compared in constant time, and nothing of the body is parsed before one was right.
 *
 * A delivery can arrive more than once: store the event by its `id`, answer 2xx only then, and answer 2xx to an id that is
 * stored already.
 *
 * @param rawBody the body as it was received, byte by byte: parsed and serialised again it is another one.
 * @param secret the subscription's secret (`whsec_…`); while a rotation is under way, the old and the new one.
 * @throws WebhookVerificationError for a request that is not to be trusted; `reason` says why.
 * @throws TypeError for a secret, tolerance or body that no verification can be made with: a mistake in the receiver.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = defaultToleranceSeconds, now = new Date() }: VerificationOptions = {},
): WebhookEvent {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array))
    throw new TypeError('verifyWebhook needs the raw body, as text or bytes, and not what was parsed of it.');
  if (!(toleranceSeconds >= 0) || Number.isNaN(now.getTime()))
    throw new TypeError('The tolerance must be 0 or more, and the time a valid one.');
  const secrets = requireSecrets(typeof secret === 'string' ? [secret] : secret);
  const body = Buffer.from(rawBody);
  const signed = families.map((family) => readSigned(family, headers)).filter((found) => found !== undefined);
  requireSignature(signed, { secrets, body, toleranceSeconds, nowSeconds: now.getTime() / 1000 });
  const event = parseEvent(body);
  if (signed.some(({ id }) => id !== event.id))
    throw new WebhookVerificationError('id_mismatch', 'The id in the headers is not that of the body.');
  return event;
}

/** Headers that carry a signature, and how it is made. */
type Family = {
  readonly prefix: string;
  /** The signatures of which one has to be right. */
  readonly split: (header: string) => readonly string[];
  readonly sign: (secret: string, message: { id: string; timestamp: string; body: Buffer }) => string;
};

const signOwn: Pick<Family, 'split' | 'sign'> = {
  split: (header) => [header.toLowerCase()],
  sign: (secret, { timestamp, body }) =>
    `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`,
};

const families: readonly Family[] = [
  { prefix: 'x-svc-webhook', ...signOwn },
  { prefix: 'x-shodai-webhook', ...signOwn },
  {
    prefix: 'webhook',
    split: (header) => header.split(' '),
    sign(secret, { id, timestamp, body }) {
      const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
    },
  },
];

type Signed = {
  readonly family: Family;
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
};

/** Undefined where the request has not all headers of the family. */
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
  readonly body: Buffer;
  readonly toleranceSeconds: number;
  readonly nowSeconds: number;
};

/** @throws WebhookVerificationError unless one of the signatures is right and of this time. */
function requireSignature(signed: readonly Signed[], check: Check): void {
  if (signed.length === 0)
    throw new WebhookVerificationError('missing_headers', 'The headers of a signed webhook are missing.');
  const right = signed.filter((candidate) => isRight(candidate, check));
  // Of a wrong signature nothing else is told.
  if (right.length === 0)
    throw new WebhookVerificationError('signature_mismatch', 'No signature is one of this body by a secret.');
  const faults = right.map(({ timestamp }) => findTimeFault(timestamp, check));
  const [fault] = faults;
  if (fault === undefined || faults.includes(undefined)) return;
  throw new WebhookVerificationError(fault, `The timestamp is more than ${check.toleranceSeconds} s off.`);
}

function isRight({ family, id, timestamp, signature }: Signed, { secrets, body }: Check): boolean {
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('malformed_headers', 'The timestamp is not in Unix seconds.');
  const given = family.split(signature);
  const expected = secrets.map((secret) => family.sign(secret, { id, timestamp, body }));
  return expected.some((one) => given.some((other) => isSame(one, other)));
}

function findTimeFault(timestamp: string, { toleranceSeconds, nowSeconds }: Check): WebhookFault | undefined {
  const ageSeconds = nowSeconds - Number(timestamp);
  if (ageSeconds > toleranceSeconds) return 'timestamp_too_old';
  return ageSeconds < -toleranceSeconds ? 'timestamp_too_new' : undefined;
}

/** In a time that depends on their lengths alone. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const secretPrefix = 'whsec_';
const shortestSecret = 32;

/** Without this, an environment variable that is not set would be a secret that everybody knows. */
function requireSecrets(secrets: readonly string[]): readonly string[] {
  const isUsable = (secret: unknown) =>
    typeof secret === 'string' && secret.startsWith(secretPrefix) && secret.length >= shortestSecret;
  if (secrets.length > 0 && secrets.every(isUsable)) return secrets;
  throw new TypeError('The secret must be the whsec_… that the subscription was created with.');
}

/** @throws WebhookVerificationError for a body that is no envelope, or one of another version or type. */
function parseEvent(body: Buffer): WebhookEvent {
  const envelope = parseJson(body);
  if (!isEnvelope(envelope))
    throw new WebhookVerificationError('malformed_body', 'The body is not the envelope of an event.');
  if (envelope.apiVersion !== webhookApiVersion)
    throw new WebhookVerificationError('unsupported_version', 'The event is of another version.');
  if (isEvent(envelope)) return envelope;
  throw new WebhookVerificationError('unsupported_type', 'The event is of a type that is not known here.');
}

function parseJson(body: Buffer): unknown {
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

/** What the data hold is left to the service, whose signature was right. */
function isEvent(envelope: Envelope): envelope is Envelope & WebhookEvent {
  return types.includes(envelope.type);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
