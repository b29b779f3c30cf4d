import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Field, TextInput } from '../parts/field.tsx';
import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';
import { useTrace } from './facts.ts';

const words = texts.operators;

type TraceProps = {
  /** The id that another part of the page wants to show. */
  readonly wanted: { readonly id: string } | undefined;
};

/** Everything about one thing, found by any of its ids. */
export function Trace({ wanted }: TraceProps) {
  const place = useRef<HTMLElement>(null);
  const [text, setText] = useState('');
  const [id, setId] = useState('');
  const trace = useTrace(id);
  useEffect(() => {
    if (!wanted) return;
    setText(wanted.id);
    setId(wanted.id);
    place.current?.focus();
  }, [wanted]);
  // The trace makes the page longer: only then can it be scrolled to its top.
  useEffect(() => {
    if (wanted && trace.data !== undefined) place.current?.scrollIntoView();
  }, [wanted, trace.data]);
  return (
    <section class="section" ref={place} tabIndex={-1} aria-label={words.trace}>
      <h2>{words.trace}</h2>
      <form
        class="filters unprinted"
        onSubmit={(event) => {
          event.preventDefault();
          setId(text.trim());
        }}
      >
        <Field label={words.traceOf} hint={words.traceHint} wide>
          <TextInput value={text} onInput={setText} mono required />
        </Field>
        <Button submit>{words.traceFind}</Button>
      </form>
      {trace.error && <Note kind="bad">{trace.error.message}</Note>}
      {trace.data !== undefined && (
        <pre class="panel trace" dir="auto">
          {trace.data.split('\n').map((line, at) => (
            // A line keeps its end, so that it is copied as it stands.
            <span key={at}>{`${line}\n`}</span>
          ))}
        </pre>
      )}
    </section>
  );
}
