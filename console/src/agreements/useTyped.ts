import { useEffect, useRef, useState } from 'preact/hooks';
import { hasSessionEnded } from '../service/queries.ts';
import type { Typed } from './inputFields.tsx';
import type { AgreementSource } from './source.ts';

const outlasting = new Map<string, Typed>();

/**
 * The values typed into an input's form. If the session ends in the middle, the same form has them again after the login.
 * They are in no storage, so that a reload drops them.
 */
export function useTyped(source: AgreementSource, inputId: string) {
  const key = JSON.stringify([...source.key, inputId]);
  const [typed, setTyped] = useState<Typed>(() => outlasting.get(key) ?? {});
  const latest = useRef(typed);
  latest.current = typed;
  useEffect(() => {
    outlasting.delete(key);
    return () => {
      const kind = source.key[0] === 'agreement' ? 'session' : 'wallet session';
      if (hasSessionEnded(kind)) outlasting.set(key, latest.current);
    };
  }, [key]);
  return [typed, setTyped] as const;
}
