import { useEffect } from 'preact/hooks';
import { texts } from '../texts/texts.ts';

/** The page's name in the window's title. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${texts.brand}`;
  }, [title]);
}
