import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * The attributes of a section that keeps the focus if its focused part disappears, as a row does with its button: the heading gets it,
 * or the first part that takes the focus by script only.
 * The button of the next row would be pressed by the second press of a double.
 *
 * @param changes only after one of these has changed, if given.
 */
export function useKeptFocus<Section extends HTMLElement = HTMLElement>(changes?: readonly unknown[]) {
  const section = useRef<Section>(null);
  const focused = useRef<EventTarget | null>(null);
  useLayoutEffect(() => {
    if (!(focused.current instanceof Element) || focused.current.isConnected) return;
    focused.current = null;
    const heading = section.current?.querySelector<HTMLElement>('h2, [tabindex="-1"]');
    if (!heading || document.activeElement !== document.body) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }, changes);
  return {
    ref: section,
    onFocusIn: ({ target }: FocusEvent) => {
      focused.current = target;
    },
  };
}
