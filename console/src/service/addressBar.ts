import { useLocation } from 'preact-iso';

/** The query of the address, which decides what a page shows: it can be kept, shared and gone back to. */
export function useAddressBar(): {
  readonly query: Readonly<Record<string, string>>;
  readonly set: (changes: Readonly<Record<string, string | undefined>>) => void;
  readonly write: (changes: Readonly<Record<string, string | undefined>>) => string;
} {
  const { path, query, route } = useLocation();
  const write = (changes: Readonly<Record<string, string | undefined>>) => {
    const merged = Object.entries({ ...query, ...changes }).filter(([, value]) => value);
    const text = new URLSearchParams(merged.map(([name, value]) => [name, value ?? ''])).toString();
    return text === '' ? path : `${path}?${text}`;
  };
  return { query, set: (changes) => route(write(changes), true), write };
}
