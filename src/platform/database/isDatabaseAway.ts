/** The server is starting, stopping, out of connections, disk or memory, or a standby that is not promoted yet. */
const passingStates = new Set(['57P01', '57P02', '57P03', '53300', '53100', '53200', '25006']);
const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** Of a Unix socket: its server is stopped, or so many wait for a server that takes no connections that no more may. */
const unreachableSocket = new Set(['ENOENT', 'EAGAIN']);
/** Errors of `pg` and its pool that have no code. */
const saidOfConnections =
  /^(timeout exceeded when trying to connect|timeout expired|query read timeout|connection terminated|client has encountered a connection error|client was closed)/i;
/**
 * What PgBouncer says while it lacks a connection to the server, or has lost it. Its code, a violation of the protocol, says
 * nothing.
 */
const saidByPoolers =
  /^(server (conn|login|connect)|query_wait_timeout|no more connections|(pgbouncer )?cannot connect)/i;

/**
 * Whether an error of a query, or of connecting, means that the database is away at present: it is starting, it has no room,
 * or another server takes its place. The query may have taken effect nevertheless.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isDatabaseAway);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === '08P01') return saidByPoolers.test(error.message);
  if (unreachableSocket.has(code)) return 'syscall' in error && error.syscall === 'connect';
  return passingStates.has(code) || unreachable.has(code) || saidOfConnections.test(error.message);
}
