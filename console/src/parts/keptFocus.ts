import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * The attributes of a section that keeps the focus if its focused part disappears, as a row does with its button: the heading gets it.
 * The button of the next row would be pressed by the second press of a double.
 */
export function useKeptFocus() {
  const section = useRef<HTMLElement>(null);
  const focused = useRef<EventTarget | null>(null);
  useLayoutEffect(() => {
    if (!(focused.current instanceof Element) || focused.current.isConnected) return;
    focused.current = null;
    const heading = section.current?.querySelector('h2');
    if (!heading || document.activeElement !== document.body) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  });
  return {
    ref: section,
    onFocusIn: ({ target }: FocusEvent) => {
      focused.current = target;
    },
  };
}
