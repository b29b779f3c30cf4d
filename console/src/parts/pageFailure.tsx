import type { ComponentChildren } from 'preact';

type PageFailureProps = { readonly title: string; readonly children: ComponentChildren };

/** A page that can only show its error, or that it loads. */
export function PageFailure({ title, children }: PageFailureProps) {
  return (
    <>
      <div class="page-head">
        <h1>{title}</h1>
      </div>
      {children}
    </>
  );
}
