import type { Answer } from './call.ts';

/** The content of a refusal, without the request id. */
export function outcome({ status, body }: Answer) {
  const { requestId: _, ...error } = body.error ?? { requestId: undefined };
  return { status, ...error };
}
