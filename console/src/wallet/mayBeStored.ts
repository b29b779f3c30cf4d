import { ApiError, ConnectionError, InvalidResponseError } from '../../../client/src/index.ts';

const conflict = 409;

/** Whether the service may have stored the input although the call failed. After a refusal with a reason it has not. */
export function mayBeStored(error: unknown): boolean {
  if (!(error instanceof ApiError))
    return error instanceof ConnectionError || error instanceof InvalidResponseError;
  // A conflict without a reason: an earlier attempt is still in progress.
  return error.reason === undefined && (error.status >= 500 || error.status === conflict);
}

/** Whether the service has refused the permit itself: then nothing is stored, nor was before. */
export function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.reason !== undefined && error.status < 500;
}
