import pg from 'pg';

/** Of the role, its password or the database, if the server speaks a language in which FATAL is another word. */
const refusals = /^(28|3D)/;
/** The session does not know a prepared statement, or knows it already: a pooler has switched the session. */
const lostStatements = new Set(['26000', '42P05']);
/** PostgreSQL's function that refuses a prepared statement whose tables have changed. */
const refusedOutdated = 'RevalidateCachedQuery';
/** Errors of `pg` before the server's own. */
const saidOfConnecting = /^(SASL|The server does not support SSL)/;
/** Codes of TLS: the server's certificate is not, or no longer, valid. */
const saidOfCertificates = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;

/**
 * Whether the database, or a pooler in front of it, refuses or has lost a session that it would have to give: the role's password
 * or rights, the database's name or the server's certificate have changed, or a prepared statement is gone with its session. A starting
 * process cannot mend that, and ends; a running one goes on as soon as it is mended, because the next query opens another session.
 */
export function isSessionRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof pg.DatabaseError) {
    const { severity, code = '', routine } = error;
    return (
      severity === 'FATAL' || refusals.test(code) || lostStatements.has(code) || routine === refusedOutdated
    );
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return saidOfCertificates.test(code) || saidOfConnecting.test(error.message);
}
