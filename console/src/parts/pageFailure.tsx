import type { ComponentChildren } from 'preact';

type PageFailureProps = { readonly title: string; readonly children: ComponentChildren };

/** A page of which nothing but what went wrong can be shown. */
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
