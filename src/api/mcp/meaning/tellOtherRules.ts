import type { CreationPart } from '../../../protocol/index.ts';

type Told = {
  readonly status: 'Draft' | 'Deployed';
  readonly onChain: { readonly differsFromDocument?: readonly CreationPart[] | undefined };
};

/** A warning if a deployed contract's rules are not those of its document, or if that cannot be told. */
export function tellOtherRules({
  status,
  onChain: { differsFromDocument: parts },
}: Told): string | undefined {
  if (status === 'Draft' || parts?.length === 0) return undefined;
  if (parts === undefined)
    return 'CAUTION: it cannot be told whether the contract does what the document says. Whoever created it chose its rules.';
  return `CAUTION: the contract does not do what the document says. It differs in: ${parts.join(', ')}.`;
}
