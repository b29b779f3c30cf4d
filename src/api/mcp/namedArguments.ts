import { MalformedError, RefusedError } from '../../platform/errors/serviceError.ts';
import type { Issue } from '../../protocol/errors.ts';

/** Names of arguments, by the names that the operation behind a tool has for them. */
export type ArgumentNames = Readonly<Record<string, string>>;

/**
 * Has the refusals of an operation name a tool's own arguments.
 *
 * @throws what `asked` is rejected with.
 */
export async function withNames<Answer>(names: ArgumentNames, asked: Promise<Answer>): Promise<Answer> {
  const nameOf = (path: string) => (Object.hasOwn(names, path) && names[path]) || path;
  const rename = ({ field, issues }: MalformedError | RefusedError) => ({
    ...(field !== undefined && { field: nameOf(field) }),
    ...(issues && { issues: issues.map((issue): Issue => ({ ...issue, path: nameOf(issue.path) })) }),
  });
  try {
    return await asked;
  } catch (error) {
    if (error instanceof MalformedError) throw new MalformedError(error.message, rename(error));
    if (!(error instanceof RefusedError)) throw error;
    const { reason, message, facts } = error;
    throw new RefusedError(reason, message, { ...rename(error), facts });
  }
}
