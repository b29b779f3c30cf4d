import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';

/** Below a list that may go on. */
export function More({ onMore }: { readonly onMore: (() => void) | undefined }) {
  if (!onMore) return null;
  return (
    <p class="section">
      <Button onPress={onMore}>{texts.more}</Button>
    </p>
  );
}
