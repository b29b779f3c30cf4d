import { texts } from '../texts/texts.ts';

/** Stands after a value that no signature covers. */
export function NotSigned() {
  return <small class="not-signed"> {texts.agreement.notSigned}</small>;
}
