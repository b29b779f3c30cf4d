import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import {
  type VerificationOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
  webhookApiVersion,
} from '../../../client/src/webhooks/verifyWebhook.ts';
import { eventApiVersion } from '../../../src/records/events/envelope.ts';

const secret = `whsec_${'0123456789abcdef'.repeat(4)}`;
const otherSecret = `whsec_${'fedcba9876543210'.repeat(4)}`;
const timestamp = '1780315200';
const now = new Date('2026-06-01T12:00:00Z');
const body =
  '{"id":"evt_5f2b1c9e","type":"agreement.transitioned","apiVersion":"2026-06-01","createdAt":"2026-06-01T12:00:00.000Z","data":{"agreementId":"agr_0123456789abcdef0123456789abcdef","agreementName":"Präsent für Zoë 🎁","templateId":"lease","fromState":"OFFERED","toState":"SIGNED","inputId":"sign","sequence":1}}';

/** Frozen vectors: computed once with OpenSSL's HMAC. */
const own = {
  'x-svc-webhook-id': 'evt_5f2b1c9e',
  'x-svc-webhook-timestamp': timestamp,
  'x-svc-webhook-signature': 'sha256=46cab9469d949f7f8434db2f65daf46c227e1fe72b77c8198054a8fe4fbc72ab',
};
const standard = {
  'webhook-id': 'evt_5f2b1c9e',
  'webhook-timestamp': timestamp,
  'webhook-signature': 'v1,oWQnEk9yQL6Y5P1I6mQtczcNFhjeELIJCxT0QdpkYao=',
};

function signOwn(text: string, options: { id?: string; at?: string; by?: string } = {}) {
  const { id = 'evt_5f2b1c9e', at = timestamp, by = secret } = options;
  return {
    'x-svc-webhook-id': id,
    'x-svc-webhook-timestamp': at,
    'x-svc-webhook-signature': `sha256=${createHmac('sha256', by).update(`${at}.${text}`).digest('hex')}`,
  };
}

type Verification = VerificationOptions & {
  text?: string | Uint8Array;
  headers?: WebhookHeaders;
  by?: string | readonly string[];
};
const verify = ({ text = body, headers = own, by = secret, ...options }: Verification = {}) =>
  verifyWebhook(text, headers, by, { now, ...options });

/** The reason for the refusal; any other result fails the test. */
async function faultOf(verification: Verification): Promise<string> {
  try {
    await verify(verification);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
  return 'none';
}

test('the version that receivers know is the one that is sent', () => {
  expect(webhookApiVersion).toBe(eventApiVersion);
});

describe('a webhook is verified', () => {
  test.each([
    ['by the headers of the service', own],
    ['by those of the standard', standard],
    ['by both', { ...own, ...standard }],
    ['by the headers of the other profile', rename(own, 'x-svc-', 'x-shodai-')],
    ['with names in any case', rename(own, 'x-svc-webhook', 'X-Svc-Webhook')],
    ['from a Headers object', new Headers({ ...own, ...standard })],
    ['with values in lists of one', Object.fromEntries(Object.entries(own).map(([n, v]) => [n, [v]]))],
  ])('%s', async (_, headers) => {
    expect(await verify({ headers })).toEqual(JSON.parse(body));
  });

  test('from text and from bytes', async () => {
    expect(await verify({ text: Buffer.from(body) })).toEqual(await verify());
    expect(await verify({ text: new TextEncoder().encode(body) })).toEqual(await verify());
  });

  test('with any of several secrets, as while one is replaced', async () => {
    expect(await faultOf({ by: [otherSecret, secret] })).toBe('none');
    expect(await faultOf({ by: [secret, otherSecret], headers: standard })).toBe('none');
    expect(await faultOf({ by: [otherSecret] })).toBe('signature_mismatch');
  });

  test('during the grace by the new secret alone, which the own header is not signed with yet', async () => {
    const renewed = new Webhook(otherSecret).sign('evt_5f2b1c9e', now, body);
    const listed = {
      ...own,
      ...standard,
      'webhook-signature': `${renewed} ${standard['webhook-signature']}`,
    };
    for (const by of [secret, otherSecret]) expect(await faultOf({ by, headers: listed })).toBe('none');
  });

  test('if there is also a signature of an unknown version', async () => {
    const listed = { ...standard, 'webhook-signature': `v1a,AAAA ${standard['webhook-signature']}` };
    expect(await faultOf({ headers: listed })).toBe('none');
  });

  test('with all types of events', async () => {
    for (const type of ['agreement.transitioned', 'agreement.notification.triggered', 'webhook.test']) {
      const text = JSON.stringify({ ...JSON.parse(body), type });
      expect((await verify({ text, headers: signOwn(text) })).type).toBe(type);
    }
  });
});

describe('a webhook is refused', () => {
  test('whose body was changed, by as little as a blank', async () => {
    expect(await faultOf({ text: `${body} ` })).toBe('signature_mismatch');
    expect(await faultOf({ text: JSON.stringify(JSON.parse(body), null, 1) })).toBe('signature_mismatch');
  });

  test('whose timestamp is not the signed one', async () => {
    for (const headers of [own, standard]) {
      const changed = replaceValue(headers, timestamp, '1780315201');
      expect(await faultOf({ headers: changed })).toBe('signature_mismatch');
    }
  });

  test('that is older or newer than the tolerance, whatever else it is', async () => {
    const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
    expect(await faultOf({ now: at(300) })).toBe('none');
    expect(await faultOf({ now: at(-300) })).toBe('none');
    expect(await faultOf({ now: at(300.001) })).toBe('timestamp_too_old');
    expect(await faultOf({ now: at(-300.001) })).toBe('timestamp_too_new');
    expect(await faultOf({ now: at(11), toleranceSeconds: 10 })).toBe('timestamp_too_old');
    expect(await faultOf({ now: at(3600), toleranceSeconds: 3600 })).toBe('none');
    expect(await faultOf({ now: at(301), headers: { ...own, ...standard } })).toBe('timestamp_too_old');
  });

  test.each([
    ['no headers at all', {}, 'missing_headers'],
    ['no signature', omit(own, 'x-svc-webhook-signature'), 'missing_headers'],
    ['no timestamp', omit(standard, 'webhook-timestamp'), 'missing_headers'],
    ['no id', omit(own, 'x-svc-webhook-id'), 'missing_headers'],
    ['a timestamp that is a date', replaceValue(own, timestamp, '2026-06-01'), 'malformed_headers'],
    ['a timestamp in hexadecimal', replaceValue(own, timestamp, '0x6a1d6'), 'malformed_headers'],
    ['a header twice', { ...own, 'X-Svc-Webhook-Id': 'evt_2' }, 'malformed_headers'],
    ['a list of ids', { ...own, 'x-svc-webhook-id': ['evt_5f2b1c9e', 'evt_2'] }, 'malformed_headers'],
    ['a signature without its scheme', dropPrefix(own, 'sha256='), 'signature_mismatch'],
    ['a signature of another version', dropPrefix(standard, 'v1,', 'v2,'), 'signature_mismatch'],
    ['another id in the own headers', replaceValue(own, 'evt_5f2b1c9e', 'evt_2'), 'id_mismatch'],
    [
      'another id in the signed headers',
      replaceValue(standard, 'evt_5f2b1c9e', 'evt_2'),
      'signature_mismatch',
    ],
    [
      'another id beside the right one',
      { ...own, ...replaceValue(standard, 'evt_5f2b1c9e', 'evt_2') },
      'id_mismatch',
    ],
  ])('that has %s', async (_, headers, reason) => {
    expect(await faultOf({ headers })).toBe(reason);
  });

  test.each([
    ['is no JSON', 'hello', 'malformed_body'],
    ['is no object', '[]', 'malformed_body'],
    ['is empty', '', 'malformed_body'],
    ['is no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'malformed_body'],
    ['has no id', change({ id: undefined }), 'malformed_body'],
    ['has an empty id', change({ id: '' }), 'malformed_body'],
    ['has no data', change({ data: undefined }), 'malformed_body'],
    ['has a list as data', change({ data: [] }), 'malformed_body'],
    ['has a date that is none', change({ createdAt: 'yesterday' }), 'malformed_body'],
    ['has another version', change({ apiVersion: '2031-01-01' }), 'unsupported_version'],
    ['has another type', change({ type: 'agreement.deleted' }), 'unsupported_type'],
    ['has another id than the headers', change({ id: 'evt_2' }), 'id_mismatch'],
  ])('whose body %s, although it is signed', async (_, text, reason) => {
    const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(text).digest('hex');
    const headers = { ...own, 'x-svc-webhook-signature': `sha256=${signature}` };
    expect(await faultOf({ text, headers })).toBe(reason);
  });

  test('that was signed with the secret in another form', async () => {
    for (const by of [secret.slice('whsec_'.length), secret.toUpperCase(), ''])
      expect(await faultOf({ headers: signOwn(body, { by }) })).toBe('signature_mismatch');
  });
});

describe('a wrongly configured receiver gets an error, instead of trusting or refusing everything', () => {
  test.each([
    ['an empty secret', ''],
    ['no secrets', []],
    ['one that is not set among others', [secret, '']],
    ['a secret without its prefix', secret.slice('whsec_'.length)],
    ['a secret that is cut off', 'whsec_0123'],
  ])('%s', async (_, by) => {
    await expect(verify({ by })).rejects.toThrow(TypeError);
  });

  test('a tolerance or a time that is no number', async () => {
    await expect(verify({ toleranceSeconds: Number.NaN })).rejects.toThrow(TypeError);
    await expect(verify({ toleranceSeconds: -1 })).rejects.toThrow(TypeError);
    await expect(verify({ now: new Date('never') })).rejects.toThrow(TypeError);
  });

  test('a secret from a variable that is not set', async () => {
    const args = [body, own, undefined, { now }];
    await expect(Reflect.apply(verifyWebhook, undefined, args)).rejects.toThrow(/whsec_/);
  });

  test('a body that was parsed before', async () => {
    // The compiler does not know what a framework passes in.
    const args = [JSON.parse(body), own, secret, { now }];
    await expect(Reflect.apply(verifyWebhook, undefined, args)).rejects.toThrow(/raw body/);
  });
});

describe('whatever is sent', () => {
  const envelopes = fc
    .record({
      id: fc.stringMatching(/^evt_[0-9a-f]{1,64}$/),
      createdAt: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      data: fc.dictionary(fc.string(), fc.jsonValue()),
    })
    .map((parts) => ({ ...parts, type: 'webhook.test', apiVersion: '2026-06-01' }));
  const secrets = fc.uint8Array({ minLength: 24, maxLength: 64 }).map((key) => {
    return `whsec_${Buffer.from(key).toString('base64')}`;
  });

  test('what another implementation of the standard signs is verified, and the other way round', async () => {
    await fc.assert(
      fc.asyncProperty(envelopes, secrets, async (envelope, by) => {
        const text = JSON.stringify(envelope);
        const present = new Date(Math.floor(Date.now() / 1000) * 1000);
        const headers = {
          'webhook-id': envelope.id,
          'webhook-timestamp': String(present.getTime() / 1000),
          'webhook-signature': new Webhook(by).sign(envelope.id, present, text),
        };
        expect(await verify({ text, headers, by, now: present })).toEqual(JSON.parse(text));
        expect(new Webhook(by).verify(text, headers)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('one changed byte of a signed body makes it a stranger’s', async () => {
    const bytes = Buffer.from(body);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, difference) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ difference;
        for (const headers of [own, standard])
          expect(await faultOf({ text: changed, headers })).toBe('signature_mismatch');
      }),
    );
  });

  test('a request without the secret is never verified and never fails in another way', async () => {
    const value = fc.oneof(fc.string(), fc.constantFrom(...Object.values({ ...own, ...standard })));
    const headers = fc.dictionary(fc.constantFrom(...Object.keys({ ...own, ...standard })), value);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json(), fc.uint8Array()), headers, async (text, sent) => {
        expect(await faultOf({ text, headers: sent, by: otherSecret })).not.toBe('none');
      }),
    );
  });
});

function change(members: Record<string, unknown>): string {
  return JSON.stringify({ ...JSON.parse(body), ...members });
}

function omit(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

function replaceValue(headers: Record<string, string>, from: string, to: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [key, value === from ? to : value]),
  );
}

function dropPrefix(headers: Record<string, string>, prefix: string, instead = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [
      key,
      value.startsWith(prefix) ? instead + value.slice(prefix.length) : value,
    ]),
  );
}

function rename(headers: Record<string, string>, from: string, to: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.replace(from, to), value]));
}
