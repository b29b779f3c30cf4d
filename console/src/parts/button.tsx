import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

/** A press by key that soon after another press of the same button is its double. */
const doubleMs = 500;

type ButtonProps = {
  readonly children: ComponentChildren;
  readonly onPress?: () => void;
  readonly kind?: 'primary' | 'plain' | 'danger' | undefined;
  readonly disabled?: boolean | undefined;
  readonly submit?: boolean;
  readonly label?: string;
  /** Whether each of several quick presses counts. */
  readonly isQuick?: boolean;
};

/**
 * A double click, a key held down and two quick presses press it once. The first press may be answered before
 * the second, and then the second would do something else: revoke the row that has moved up, or undo the first.
 *
 * A form's submission by Enter is a click of its submitting button too.
 *
 * A disabled button keeps the focus, so that its user stays there while what it does is under way.
 */
export function Button({ children, onPress, kind, disabled, submit, label, isQuick }: ButtonProps) {
  const pressedAt = useRef(Number.NEGATIVE_INFINITY);
  const classes = kind === 'danger' ? 'button plain danger' : `button ${kind ?? ''}`;
  const press = (event: MouseEvent) => {
    // The count of clicks goes on if another button has come to the place of the first. Keys have no count.
    const isSoon = event.timeStamp - pressedAt.current < doubleMs;
    const isDouble = event.detail > 1 || (event.detail === 0 && isSoon);
    pressedAt.current = event.timeStamp;
    if (disabled || (isDouble && !isQuick)) event.preventDefault();
    else onPress?.();
  };
  return (
    <button
      type={submit ? 'submit' : 'button'}
      class={classes}
      aria-disabled={disabled}
      aria-label={label}
      onClick={press}
    >
      {children}
    </button>
  );
}
