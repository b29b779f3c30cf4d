import { AgreementsClient } from '../../../client/src/index.ts';

/** Calls the service by the session that the browser has. */
export const service = new AgreementsClient({ baseUrl: location.origin, session: true });

/** Calls the service by a signing link, as somebody without a session. */
export function openLink(link: string): AgreementsClient {
  return new AgreementsClient({ baseUrl: location.origin, link });
}

/** Calls the service by a key, once, to open a session; the key is kept nowhere. */
export function openKey(apiKey: string): AgreementsClient {
  return new AgreementsClient({ baseUrl: location.origin, apiKey, maxRetries: 0 });
}
