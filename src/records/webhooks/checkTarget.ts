import { TargetRefusedError, type TargetRules } from './targetRules.ts';

/**
 * Why events may not be sent to a URL, in words for the receiver's owner; undefined if they may. Resolves the
 * host: a name that does not resolve is refused. The same check runs again at every connection.
 */
export async function checkTarget(url: string, rules: TargetRules): Promise<string | undefined> {
  if (!URL.canParse(url)) return 'must be a URL';
  const target = new URL(url);
  const problem = rules.findUrlProblem(target);
  if (problem !== undefined) return problem;
  try {
    await rules.resolve(target);
    return undefined;
  } catch (error) {
    return error instanceof TargetRefusedError ? error.message : 'must have a host that can be resolved';
  }
}
