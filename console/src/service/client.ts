import { AgreementsClient } from '../../../client/src/index.ts';

/** A page repeats its requests itself, so it should report a missing answer soon. */
const patience = { timeoutMs: 10_000, maxRetries: 1 };

/** Calls the service with the browser's session. */
export const service = new AgreementsClient({ baseUrl: location.origin, session: true, ...patience });

/** Calls the service with a signing link, without a session. */
export function openLink(link: string): AgreementsClient {
  return new AgreementsClient({ baseUrl: location.origin, link, ...patience });
}

/** Calls the service with a key, once, to open a session; the key is stored nowhere. */
export function openKey(apiKey: string): AgreementsClient {
  return new AgreementsClient({ baseUrl: location.origin, apiKey, maxRetries: 0 });
}
