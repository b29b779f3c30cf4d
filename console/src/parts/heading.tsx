import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * The heading of a part that takes the place of another one, as a review does of its form. It gets the focus if that went with
 * the other part, so that readers of the screen hear where they are.
 */
export function Heading({ children }: { readonly children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h3 ref={heading} tabIndex={-1} dir="auto">
      {children}
    </h3>
  );
}
