import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { splitReferences } from '../markdown/splitReferences.ts';
import { Value } from '../markdown/value.tsx';
import { Button } from '../parts/button.tsx';
import { Loading } from '../parts/loading.tsx';
import { texts } from '../texts/texts.ts';
import { member } from './member.ts';
import type { Shown } from './source.ts';

const words = texts.agreement;

/** The text of the agreement with the values filled in, or its source. The Markdown code is loaded only here. */
export function DocumentText({ shown }: { readonly shown: Shown }) {
  const [isSource, setSource] = useState(false);
  const type = member(shown.json, 'content', 'type') ?? 'md';
  const text = member(shown.json, 'content', 'data');
  const template = typeof text === 'string' ? text : '';
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
      <p class="lead small">{words.documentLead}</p>
      {isSource ? (
        <pre class="panel" dir="auto">
          {JSON.stringify(shown.json, null, 2)}
        </pre>
      ) : type !== 'md' ? (
        <pre dir="auto">
          {splitReferences(template).map((part, at) =>
            at % 2 === 0 ? part : <Value key={at} name={part} values={shown.variables} />,
          )}
        </pre>
      ) : MarkdownText ? (
        <MarkdownText template={template} values={shown.variables} />
      ) : (
        <Loading />
      )}
    </section>
  );
}
