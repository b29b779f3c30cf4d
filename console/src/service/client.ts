import { AgreementsClient } from '../../../client/src/index.ts';

/** A page that asks again by itself would rather say that nothing answers than wait for long. */
const patience = { timeoutMs: 10_000, maxRetries: 1 };

/** Calls the service by the session that the browser has. */
export const service = new AgreementsClient({ baseUrl: location.origin, session: true, ...patience });

/** Calls the service by a signing link, as somebody without a session. */
export function openLink(link: string): AgreementsClient {
  return new AgreementsClient({ baseUrl: location.origin, link, ...patience });
}

/** Calls the service by a key, once, to open a session; the key is kept nowhere. */
export function openKey(apiKey: string): AgreementsClient {
  return new AgreementsClient({ baseUrl: location.origin, apiKey, maxRetries: 0 });
}
