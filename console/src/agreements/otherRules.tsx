import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';
import { knowsRules } from './knowsRules.ts';
import type { Shown } from './source.ts';

const words = texts.agreement;

/** Warns of a deployed contract whose rules are not those of the document that it names, or may not be. */
export function OtherRules({ shown }: { readonly shown: Shown }) {
  if (!knowsRules(shown)) return <Note kind="warn">{words.unknownRules}</Note>;
  const { differsFromDocument: parts = [] } = shown;
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
