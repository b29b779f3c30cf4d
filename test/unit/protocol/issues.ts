import { ProtocolError } from '../../../src/protocol/index.ts';

/** The paths of the issues that a call is refused for; none if it is not. */
export function refusedPaths(call: () => unknown): string[] {
  try {
    call();
  } catch (error) {
    if (error instanceof ProtocolError) return error.issues.map(({ path }) => path);
    throw error;
  }
  return [];
}
