import { describeError } from '../../platform/http/errorResponse.ts';
import type { AgentCall } from './agentCall.ts';

/** What a read after a write has found, or the message of its refusal. */
export type ReadAfterWrite<Found> =
  | { readonly found: Found; readonly refusal?: undefined }
  | { readonly found?: undefined; readonly refusal: string };

/** A read whose refusal does not take the place of the result of the write beside it. */
export async function readAfterWrite<Found>(
  { reportFailure }: Pick<AgentCall, 'reportFailure'>,
  read: () => Promise<Found>,
): Promise<ReadAfterWrite<Found>> {
  try {
    return { found: await read() };
  } catch (error) {
    const { status, message } = describeError(error);
    if (status === 500) reportFailure(error);
    return { refusal: message };
  }
}
