import { AccessError } from '../../platform/errors/serviceError.ts';

/**
 * Refuses what a page sends that is neither the service's own nor one that the operator lets call it: a page that names itself
 * otherwise could have been brought here by a name that points at this machine.
 *
 * @throws AccessError `forbidden`.
 */
export function requireKnownOrigin(
  headers: Headers,
  { publicBaseUrl, corsOrigins }: { publicBaseUrl: string; corsOrigins: readonly string[] },
): void {
  const origin = headers.get('origin');
  if (origin === null || origin === new URL(publicBaseUrl).origin) return;
  if (corsOrigins.includes(origin) || corsOrigins.includes('*')) return;
  throw new AccessError('forbidden', 'This origin may not call the service; the operator sets CORS_ORIGINS.');
}
