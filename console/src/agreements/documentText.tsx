import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { PlainText } from '../markdown/plainText.tsx';
import { Button } from '../parts/button.tsx';
import { Loading } from '../parts/loading.tsx';
import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';
import { knowsRules } from './knowsRules.ts';
import { member } from './member.ts';
import type { Shown } from './source.ts';

const words = texts.agreement;

type DocumentTextProps = {
  readonly shown: Pick<Shown, 'json' | 'variables' | 'status' | 'differsFromDocument'>;
  /** The variables whose values no signature covers. */
  readonly unsigned: ReadonlySet<string>;
};

/** The text of the agreement with the values filled in, or its source. The Markdown code is loaded only here. */
export function DocumentText({ shown, unsigned }: DocumentTextProps) {
  const [isSource, setSource] = useState(false);
  const type = member(shown.json, 'content', 'type') ?? 'md';
  const text = member(shown.json, 'content', 'data');
  const template = typeof text === 'string' ? text : '';
  const filling = { template, values: shown.variables, unsigned };
  const renderer = useQuery({
    queryKey: ['markdown'],
    queryFn: () => import('../markdown/markdownText.tsx'),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: type === 'md',
  });
  const MarkdownText = renderer.data?.MarkdownText;
  return (
    <section class="section">
      <div class="section-head">
        <h2>{words.document}</h2>
        <Button kind="plain" onPress={() => setSource(!isSource)}>
          {isSource ? words.document : words.source}
        </Button>
      </div>
      <p class="lead small">{knowsRules(shown) ? words.documentLead : words.documentUnknownLead}</p>
      {unsigned.size > 0 && <Note kind="warn">{words.notSignedLead}</Note>}
      {isSource ? (
        <pre class="panel" dir="auto">
          {showUnseen(JSON.stringify(shown.json, null, 2))}
        </pre>
      ) : type !== 'md' ? (
        <PlainText {...filling} />
      ) : MarkdownText ? (
        <MarkdownText {...filling} />
      ) : (
        <Loading />
      )}
    </section>
  );
}
