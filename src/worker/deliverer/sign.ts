import { createHmac } from 'node:crypto';
import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import type { SigningSecrets } from '../../records/webhooks/secrets.ts';

const secretPrefix = 'whsec_';

/** What the service's own headers begin with. */
const ownPrefixes: Record<ClientProfile, string> = { default: 'x-svc-webhook', shodai: 'x-shodai-webhook' };

/**
 * The headers that sign one attempt, of both families: the service's own, whose signature is keyed with the characters of the
 * secret as they stand, and those of the Standard Webhooks specification, keyed with the base64 decoding of what follows `whsec_`
 * and with one signature for each secret that is good. `body` are the very bytes that are sent.
 */
export function signAttempt(options: {
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
