import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';
import type { Shown } from './source.ts';

const words = texts.agreement;

/** Warns of a deployed contract whose rules are not those of the document that it names, or may not be. */
export function OtherRules({ shown }: { readonly shown: Shown }) {
  const { status, differsFromDocument: parts } = shown;
  if (status === 'Draft' || parts?.length === 0) return null;
  if (parts === undefined) return <Note kind="warn">{words.unknownRules}</Note>;
  return (
    <Note kind="bad">
      <p>{words.otherRules}</p>
      <p class="small">
        {words.otherParts} {parts.map((part) => words.parts[part]).join(', ')}
      </p>
    </Note>
  );
}
