import { TargetRefusedError, type TargetRules } from './targetRules.ts';

/**
 * Why events may not be sent to a URL, as one who has it as their receiver can be told; undefined where they may. What its host
 * resolves to is looked up: a name that does not resolve is refused. The same is checked again whenever it is dialled.
 */
export async function checkTarget(url: string, rules: TargetRules): Promise<string | undefined> {
  if (!URL.canParse(url)) return 'expected a URL';
  const target = new URL(url);
  const problem = rules.findUrlProblem(target);
  if (problem !== undefined) return problem;
  try {
    await rules.resolve(target);
    return undefined;
  } catch (error) {
    return error instanceof TargetRefusedError ? error.message : 'expected a host that can be resolved';
  }
}
