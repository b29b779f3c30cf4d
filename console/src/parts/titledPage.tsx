import type { ComponentChildren } from 'preact';

type TitledPageProps = { readonly title: string; readonly children: ComponentChildren };

/** A page of a title and one part, such as one that loads or can only show its error. */
export function TitledPage({ title, children }: TitledPageProps) {
  return (
    <>
      <div class="page-head">
        <h1>{title}</h1>
      </div>
      {children}
    </>
  );
}
