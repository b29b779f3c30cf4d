import { CommanderError } from 'commander';
import { ProtocolError } from '../../../src/protocol/errors.ts';
import {
  AbortedError,
  type AgreementsError,
  ApiError,
  ConnectionError,
  InvalidResponseError,
} from '../errors.ts';
import { PermitRefusedError, TypedDataMismatchError } from '../viem/checkTypedData.ts';
import { DeploymentFailedError, InputFailedError, WaitTimeoutError } from '../waiting.ts';
import { CliError, type ExitCode, exitCodes } from './cliError.ts';

/** The message for an error, and the exit code. */
export type Explanation = {
  readonly exitCode: ExitCode;
  readonly message: string;
  /** Further lines, such as what to change and where. */
  readonly lines: readonly string[];
  readonly facts: Readonly<Record<string, unknown>>;
};

/** @param baseUrl the service that was asked, if one is known. */
export function explainError(error: unknown, baseUrl?: string): Explanation {
  const message = error instanceof Error ? error.message : String(error);
  const make = (exitCode: ExitCode, facts: Explanation['facts'] = {}, lines: readonly string[] = []) => ({
    exitCode,
    message,
    lines,
    facts: { message, ...facts },
  });
  if (error instanceof CliError) return make(error.exitCode);
  if (error instanceof CommanderError) return make(exitCodes.usage);
  if (error instanceof ApiError) {
    const { status, code, reason, details, requestId } = error;
    return make(codeOf(error), { status, code, reason, details, requestId }, listLines(error));
  }
  if (error instanceof AbortedError) return make(exitCodes.stopped);
  if (error instanceof ConnectionError || error instanceof InvalidResponseError) {
    const { requestId } = error;
    const where = baseUrl === undefined ? [] : [`asked at ${baseUrl}`];
    const lines = [...where, ...describeCause(error), `request ${requestId}`];
    return make(exitCodes.unreachable, { requestId }, lines);
  }
  if (error instanceof ProtocolError)
    return make(exitCodes.refused, { issues: error.issues }, error.issues.map(describeIssue));
  if (error instanceof PermitRefusedError) return make(exitCodes.refused, { reason: error.reason });
  if (error instanceof TypedDataMismatchError)
    return make(exitCodes.failed, { differences: error.differences });
  if (error instanceof InputFailedError || error instanceof DeploymentFailedError)
    return make(exitCodes.failed, { reason: error.reason });
  if (error instanceof WaitTimeoutError) return make(exitCodes.failed);
  // Wrong use of the client, or a file that cannot be read or written.
  if (error instanceof TypeError || isSystemError(error)) return make(exitCodes.usage);
  return make(exitCodes.refused);
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function codeOf({ status }: ApiError): ExitCode {
  if (status === 401 || status === 402 || status === 403) return exitCodes.access;
  if (status === 404) return exitCodes.notFound;
  return status === 429 || status >= 500 ? exitCodes.unreachable : exitCodes.refused;
}

function listLines({ status, reason, details, requestId, message }: ApiError): string[] {
  const all = Array.isArray(details.issues) ? details.issues.map(describeIssue) : [];
  // A single issue is in the message already.
  const issues = all.filter((issue) => all.length > 1 || !message.includes(issue));
  return [
    ...issues,
    ...findRemedy({ status, reason, details, issues: all }),
    `${reason ? `reason ${reason}, ` : ''}request ${requestId}`,
  ];
}

/** What to do about a refusal, in the words of the command line. */
function findRemedy({ status, reason, details, issues }: Refusal): string[] {
  if (status === 401) return ['set AGREEMENTS_API_KEY, or run agreements login again'];
  if (reason === 'unsupported_chain' && Array.isArray(details.supportedChainIds))
    return [`the chains of this service are ${details.supportedChainIds.join(', ')}`];
  if (!issues.some((issue) => issue.includes(' is missing'))) return [];
  if (reason === 'invalid_values')
    return [
      'give participants with --participant variable=address, other values with --value variable=value',
    ];
  return reason === 'schema_mismatch' ? ['give values with --value field=value'] : [];
}

type Refusal = Pick<ApiError, 'status' | 'reason' | 'details'> & { readonly issues: readonly string[] };

function describeIssue({ path, message }: { readonly path: string; readonly message: string }): string {
  return path === '' ? message : `${path} ${message}`;
}

/** The platform's error code of a connection, such as ECONNREFUSED, deep in its error. */
function describeCause({ cause }: AgreementsError): string[] {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  if (!(inner instanceof Error)) return [];
  return ['code' in inner && typeof inner.code === 'string' ? inner.code : inner.message];
}
