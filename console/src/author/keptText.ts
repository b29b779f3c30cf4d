import { useState } from 'preact/hooks';
import { useSession } from '../service/queries.ts';

/** A text that this browser keeps, for each principal separately: several may use the browser in turn. */
export function useKeptText(name: string): readonly [string, (text: string) => void] {
  const principal = useSession().data?.principal.id ?? '';
  const place = `agreements-${name} ${principal}`;
  const [text, setText] = useState(() => localStorage.getItem(place) ?? '');
  const write = (next: string) => {
    setText(next);
    localStorage.setItem(place, next);
  };
  return [text, write];
}
