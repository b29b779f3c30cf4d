import { errors } from 'undici';
import { TargetRefusedError } from '../../records/webhooks/targetRules.ts';
import { AnswerRefusedError } from './answerLimits.ts';

const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed without a response',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ENOTFOUND: 'the host cannot be resolved',
  ENODATA: 'the host cannot be resolved',
  ESERVFAIL: 'the host cannot be resolved',
  ETIMEOUT: 'the host cannot be resolved',
  EAI_AGAIN: 'the host cannot be resolved',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too long',
};

/** Why no answer came, in words for the subscription's owner; names no address that the service has seen. */
export function describeConnectionFault(error: unknown): string {
  if (error instanceof TargetRefusedError || error instanceof AnswerRefusedError) return error.message;
  if (error instanceof errors.HTTPParserError) return 'the response is not HTTP';
  const code = findCode(error);
  if (code === undefined) return 'the connection failed';
  return texts[code] ?? `the connection failed: ${code}`;
}

/** The innermost error is the reason; of several addresses tried, the first one's. */
function findCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return findCode(inner) ?? code;
}
