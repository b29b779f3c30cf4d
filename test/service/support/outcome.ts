import type { Answer } from './call.ts';

/** What a refusal says, without what differs from request to request. */
export function outcome({ status, body }: Answer) {
  const { requestId: _, ...error } = body.error ?? { requestId: undefined };
  return { status, ...error };
}
