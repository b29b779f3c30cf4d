import type { Issue } from './errors.ts';
import type { JsonCursor } from './jsonCursor.ts';
import { quote } from './quote.ts';
import { listVariableReferences } from './references.ts';
import { findVariable } from './variables.ts';

/** Warnings about the readable content: a type other than Markdown, and names of unknown variables. */
export function warnOfContent(agreement: JsonCursor): Issue[] {
  const { type, data } = {
    type: agreement.at('content').at('type'),
    data: agreement.at('content').at('data'),
  };
  const isOther = !type.isAbsent && type.value !== 'md';
  const names = typeof data.value === 'string' ? listVariableReferences(data.value) : [];
  const unknown = names.filter((name) => findVariable(agreement, name) === undefined);
  return [
    ...(isOther ? [{ path: type.path, message: 'is not md: the content is served as it is' }] : []),
    ...unknown.map((name) => ({
      path: data.path,
      message: `names ${quote(name)}, which is not a declared variable`,
    })),
  ];
}
