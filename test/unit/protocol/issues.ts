import { ProtocolError } from '../../../src/protocol/index.ts';

/** The paths of the issues for which a call is refused; empty if it is not refused. */
export function refusedPaths(call: () => unknown): string[] {
  try {
    call();
  } catch (error) {
    if (error instanceof ProtocolError) return error.issues.map(({ path }) => path);
    throw error;
  }
  return [];
}
