import type { ComponentChildren } from 'preact';

type NoteProps = {
  readonly kind?: 'bad' | 'warn' | 'good' | undefined;
  readonly children: ComponentChildren;
};

/** A note for the reader; errors are announced to screen readers at once. */
export function Note({ kind, children }: NoteProps) {
  return (
    <div class={`note ${kind ?? ''}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
