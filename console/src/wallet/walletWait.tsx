import { useEffect, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { texts } from '../texts/texts.ts';
import type { Provider } from './guardedProvider.ts';

const words = texts.wallet;

/** Says that the wallet is asked, and lets the user stop waiting. */
export function WalletWait({ provider }: { readonly provider: Provider }) {
  const [isAsked, setAsked] = useState(provider.isAsked);
  useEffect(() => {
    const read = () => setAsked(provider.isAsked());
    read();
    return provider.watch(read);
  }, [provider]);
  return (
    <div role="status" class="row">
      {isAsked && (
        <>
          <span class="small">{words.asked}</span>
          <Button kind="plain" onPress={provider.giveUp}>
            {words.giveUp}
          </Button>
        </>
      )}
    </div>
  );
}
