import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { splitReferences } from './splitReferences.ts';
import { type Filling, Value } from './value.tsx';

/** A text as written, with values in place of variables. */
export function PlainText({ template, ...filling }: Filling & { readonly template: string }) {
  return (
    <pre dir="auto">
      {splitReferences(showUnseen(template)).map((part, at) =>
        at % 2 === 0 ? part : <Value key={at} name={part} {...filling} />,
      )}
    </pre>
  );
}
