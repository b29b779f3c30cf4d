import { useEffect } from 'preact/hooks';
import { texts } from '../texts/texts.ts';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${texts.brand}`;
  }, [title]);
}
