import { texts } from '../texts/texts.ts';

/** Placeholder lines, so that nothing moves when the text comes. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="stack" role="status" aria-busy="true">
      <span class="hidden">{texts.loading}</span>
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} class="bar" />
      ))}
    </div>
  );
}
