import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';
import type { Shown } from './source.ts';

const words = texts.agreement;

/** Warns of a contract whose rules are not those of the document that it names. */
export function OtherRules({ parts = [] }: { readonly parts: Shown['differsFromDocument'] }) {
  if (parts.length === 0) return null;
  return (
    <Note kind="bad">
      <p>{words.otherRules}</p>
      <p class="small">
        {words.otherParts} {parts.map((part) => words.parts[part]).join(', ')}
      </p>
    </Note>
  );
}
