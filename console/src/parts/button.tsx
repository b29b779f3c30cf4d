import type { ComponentChildren } from 'preact';

type ButtonProps = {
  readonly children: ComponentChildren;
  readonly onPress?: () => void;
  readonly kind?: 'primary' | 'plain' | 'danger' | undefined;
  readonly disabled?: boolean | undefined;
  readonly submit?: boolean;
  readonly label?: string;
};

export function Button({ children, onPress, kind, disabled, submit, label }: ButtonProps) {
  const classes = kind === 'danger' ? 'button plain danger' : `button ${kind ?? ''}`;
  return (
    <button
      type={submit ? 'submit' : 'button'}
      class={classes}
      disabled={disabled}
      aria-label={label}
      onClick={onPress && (() => onPress())}
    >
      {children}
    </button>
  );
}
