import { useState } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';

/** Below a list that may go on. Another press would begin the request anew. */
export function More({ onMore }: { readonly onMore: (() => Promise<unknown>) | undefined }) {
  const [isBusy, setBusy] = useState(false);
  if (!onMore) return null;
  const show = async () => {
    setBusy(true);
    await onMore();
    setBusy(false);
  };
  return (
    <p class="section">
      <Button onPress={() => void show()} disabled={isBusy}>
        {isBusy ? texts.loading : texts.more}
      </Button>
    </p>
  );
}
