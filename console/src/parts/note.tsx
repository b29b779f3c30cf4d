import type { ComponentChildren } from 'preact';

type NoteProps = {
  readonly kind?: 'bad' | 'warn' | 'good' | undefined;
  readonly children: ComponentChildren;
};

/** Something that the reader should know; what is wrong is told to screen readers at once. */
export function Note({ kind, children }: NoteProps) {
  return (
    <div class={`note ${kind ?? ''}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
