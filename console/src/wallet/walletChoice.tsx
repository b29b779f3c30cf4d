import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Hex } from '../parts/hex.tsx';
import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';
import { choose, connect, type FoundWallet, isDeclined, useWallets } from './wallets.ts';

const words = texts.act;

/** A wallet with its offered account. */
export type Connected = FoundWallet & { readonly account: `0x${string}` };

type WalletChoiceProps = {
  readonly connected: Connected | undefined;
  readonly onChange: (wallet: Connected | undefined) => void;
};

/** The wallets of this browser, to connect one. */
export function WalletChoice({ connected, onChange }: WalletChoiceProps) {
  const wallets = useWallets();
  const [error, setError] = useState<unknown>();
  const open = async (wallet: FoundWallet, ask: typeof connect) => {
    setError(undefined);
    try {
      onChange({ ...wallet, account: await ask(wallet) });
    } catch (cause) {
      setError(cause);
    }
  };
  return (
    <fieldset class="stack">
      <legend>
        <strong>{words.wallet}</strong>
      </legend>
      {connected ? (
        <div class="row">
          <span>
            <span dir="auto">{words.connected(connected.name)}</span> <Hex value={connected.account} />
          </span>
          <Button kind="plain" onPress={() => void open(connected, choose)}>
            {words.anotherAccount}
          </Button>
        </div>
      ) : wallets.length === 0 ? (
        <p class="soft">{words.noWallet}</p>
      ) : (
        <div class="row">
          {wallets.map((wallet) => (
            <Button key={wallet.id} onPress={() => void open(wallet, connect)}>
              {words.connect(wallet.name)}
            </Button>
          ))}
        </div>
      )}
      {error !== undefined && (
        <Note kind="warn">{isDeclined(error) ? words.declined : words.walletFailed}</Note>
      )}
    </fieldset>
  );
}
