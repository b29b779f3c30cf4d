import { AccessError } from '../../platform/errors/serviceError.ts';

/**
 * Refuses pages of origins other than the service's own and the operator's allowed ones. Otherwise a hostile
 * page could reach a service on this machine through a name that resolves to it (DNS rebinding).
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
