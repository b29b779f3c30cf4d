import { AgreementsClient } from '../../../client/src/index.ts';

/** A page repeats its requests itself, so it should report a missing answer soon. */
const patience = { timeoutMs: 10_000, maxRetries: 1, maxRetryAfterSeconds: 5 };

/** For a deployment, which is answered once the chain shows it. The client waits three times as long. */
export const deployPatience = { timeoutMs: 30_000 };

/**
 * For an input, whose answer comes once its transaction is signed: longer than the service waits for that (15 s by default).
 * One attempt, so that its error says whether the input may be stored; the same signature is sent again on demand.
 */
export const inputPatience = { timeoutMs: 40_000, maxRetries: 0 };

/**
 * Calls the service with the browser's session. Its reads do not wait for its writes: a pending input would hold up every
 * page, and pages repeat their reads anyway.
 */
export const service = new AgreementsClient({
  baseUrl: location.origin,
  session: true,
  readYourWrites: false,
  ...patience,
});

/** Calls the service with a signing link, without a session. */
export function openLink(link: string): AgreementsClient {
  return new AgreementsClient({ baseUrl: location.origin, link, ...patience });
}

/** Calls the service with a key, once, to open a session; the key is stored nowhere. */
export function openKey(apiKey: string): AgreementsClient {
  return new AgreementsClient({ baseUrl: location.origin, apiKey, maxRetries: 0 });
}
