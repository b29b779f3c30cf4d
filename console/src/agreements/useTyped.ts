import { useEffect, useRef, useState } from 'preact/hooks';
import { hasSessionEnded, nameSessionKey } from '../service/queries.ts';
import type { Typed } from './inputFields.tsx';
import type { AgreementSource } from './source.ts';

const outlasting = new Map<string, Typed>();

/**
 * The values typed into an input's form. If the session ends in the middle, the same form has them again after a login with the
 * same key. They are in no storage, so that a reload drops them. Those that were sent are not kept.
 */
export function useTyped(source: AgreementSource, inputId: string) {
  const isOwn = source.key[0] === 'agreement';
  const key = JSON.stringify([...source.key, inputId, isOwn ? nameSessionKey() : undefined]);
  const [typed, setTyped] = useState<Typed>(() => outlasting.get(key) ?? {});
  const latest = useRef({ typed, isSent: false });
  latest.current.typed = typed;
  useEffect(() => {
    outlasting.delete(key);
    return () => {
      if (!latest.current.isSent && hasSessionEnded(isOwn ? 'session' : 'wallet session'))
        outlasting.set(key, latest.current.typed);
    };
  }, [key]);
  const forget = () => {
    latest.current.isSent = true;
  };
  return { typed, setTyped, forget } as const;
}
