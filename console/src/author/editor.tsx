import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import type { Problem } from './useDocument.ts';

const words = texts.author;

type EditorProps = {
  readonly text: string;
  readonly onWrite: (text: string) => void;
  readonly problems: readonly Problem[];
  /** The position to go to; a new object goes there again. */
  readonly place: { readonly offset: number } | undefined;
};

/** A text area with line numbers; lines with problems are marked. */
export function Editor({ text, onWrite, problems, place }: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const count = useMemo(() => text.split('\n').length, [text]);
  useLayoutEffect(() => {
    const element = area.current;
    if (!element || !place) return;
    element.focus();
    element.setSelectionRange(place.offset, place.offset);
    const line = element.value.slice(0, place.offset).split('\n').length;
    element.scrollTop = (element.scrollHeight / Math.max(1, element.value.split('\n').length)) * (line - 4);
  }, [place]);
  const worst = new Map<number, Problem['kind']>();
  for (const { line, kind } of problems) if (worst.get(line) !== 'error') worst.set(line, kind);
  const drop = async (event: DragEvent) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    onWrite(await file.text());
  };
  return (
    <div class="editor">
      <div class="gutter" ref={gutter} aria-hidden="true">
        {Array.from({ length: count }, (_, at) => (
          <div key={at} class={worst.get(at + 1)}>
            {at + 1}
          </div>
        ))}
      </div>
      <textarea
        ref={area}
        class="mono"
        aria-label={words.document}
        aria-describedby="problems"
        value={text}
        spellcheck={false}
        wrap="off"
        placeholder={words.placeholder}
        onInput={(event) => onWrite(event.currentTarget.value)}
        onDrop={(event) => void drop(event)}
        onScroll={(event) => {
          if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}
