import { texts } from '../texts/texts.ts';

/** Lines where text will be, so that nothing moves when it comes. */
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
