import { createHmac } from 'node:crypto';
import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import type { SigningSecrets } from '../../records/webhooks/secrets.ts';

const secretPrefix = 'whsec_';

/** The prefix of the service's own headers. */
const ownPrefixes: Record<ClientProfile, string> = { default: 'x-svc-webhook', shodai: 'x-shodai-webhook' };

/**
 * The signature headers of one attempt, of both families. The service's own signature uses the characters of
 * the secret as the key. The Standard Webhooks signatures use the base64 decoding of the part after `whsec_`,
 * one signature for each valid secret. `body` are exactly the bytes that are sent.
 */
export function signWebhook(options: {
  eventId: string;
  body: Uint8Array;
  at: Date;
  secrets: SigningSecrets;
  profile: ClientProfile;
}): Record<string, string> {
  const { eventId, body, secrets, profile } = options;
  const timestamp = String(Math.floor(options.at.getTime() / 1_000));
  const own = ownPrefixes[profile];
  const signatures = secrets.all.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return {
    [`${own}-id`]: eventId,
    [`${own}-timestamp`]: timestamp,
    [`${own}-signature`]: `sha256=${createHmac('sha256', secrets.own).update(`${timestamp}.`).update(body).digest('hex')}`,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
