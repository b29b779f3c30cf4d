import { useEffect } from 'preact/hooks';
import { texts } from '../texts/texts.ts';

/** The name of the page in the title of the window. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${texts.brand}`;
  }, [title]);
}
