import type { CreationPart } from '../../../protocol/index.ts';

/** A warning if a contract's rules are not those of its document. */
export function tellOtherRules({
  differsFromDocument: parts = [],
}: {
  readonly differsFromDocument?: readonly CreationPart[] | undefined;
}): string | undefined {
  if (parts.length === 0) return undefined;
  return `CAUTION: the contract does not do what the document says. It differs in: ${parts.join(', ')}.`;
}
