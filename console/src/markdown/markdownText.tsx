import { useMemo } from 'preact/hooks';
import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';
import { PlainText } from './plainText.tsx';
import { readTemplate } from './readTemplate.ts';
import { renderTokens } from './renderTokens.tsx';
import type { Filling } from './value.tsx';

type MarkdownTextProps = Filling & { readonly template: string };

/** A text in Markdown, with values in place of variables; as written if Markdown leaves out anything of it. */
export function MarkdownText({ template, ...filling }: MarkdownTextProps) {
  const { tokens, names, isMissed } = useMemo(() => readTemplate(template), [template]);
  if (isMissed)
    return (
      <>
        <Note>{texts.agreement.asWritten}</Note>
        <PlainText template={template} {...filling} />
      </>
    );
  return (
    <div class="prose" dir="auto">
      {renderTokens(tokens, { names, ...filling })}
    </div>
  );
}
