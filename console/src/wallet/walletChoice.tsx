import { useRef, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Hex } from '../parts/hex.tsx';
import { useKeptFocus } from '../parts/keptFocus.ts';
import { LongList } from '../parts/longList.tsx';
import { texts } from '../texts/texts.ts';
import type { Provider } from './guardedProvider.ts';
import { WalletFailure } from './walletFailure.tsx';
import { choose, connect, type FoundWallet, useWallets } from './wallets.ts';
import { WalletWait } from './walletWait.tsx';

const words = texts.act;

export type Connected = FoundWallet & { readonly account: `0x${string}` };

type WalletChoiceProps = {
  readonly connected: Connected | undefined;
  readonly onChange: (wallet: Connected | undefined) => void;
};

/** The wallets of this browser, to connect one. */
export function WalletChoice({ connected, onChange }: WalletChoiceProps) {
  const wallets = useWallets();
  const [error, setError] = useState<unknown>();
  const [asked, setAsked] = useState<{ readonly provider: Provider }>();
  const last = useRef(asked);
  const open = async (wallet: FoundWallet, ask: typeof connect) => {
    last.current?.provider.giveUp();
    // Only the answer of the wallet that was asked last counts.
    const turn = { provider: wallet.provider };
    last.current = turn;
    setAsked(turn);
    setError(undefined);
    const [account, cause] = await ask(wallet).then(
      (offered) => [offered, undefined] as const,
      (thrown: unknown) => [undefined, thrown] as const,
    );
    if (last.current !== turn) return;
    last.current = undefined;
    setAsked(undefined);
    setError(cause);
    if (account) onChange({ ...wallet, account });
  };
  const keptFocus = useKeptFocus<HTMLFieldSetElement>([connected, asked]);
  return (
    <fieldset class="stack" {...keptFocus}>
      <legend tabIndex={connected ? undefined : -1}>
        <strong>{words.wallet}</strong>
      </legend>
      {connected ? (
        <div class="row">
          <span tabIndex={-1}>
            <bdi>{words.connected(connected.name)}</bdi> <Hex value={connected.account} />
          </span>
          <Button kind="plain" onPress={() => void open(connected, choose)}>
            {words.anotherAccount}
          </Button>
        </div>
      ) : wallets.length === 0 ? (
        <p class="soft">{words.noWallet}</p>
      ) : (
        <LongList length={wallets.length}>
          <ul class="row">
            {wallets.map((wallet) => (
              <li key={wallet.id} class="item">
                <Button onPress={() => void open(wallet, connect)}>
                  <bdi>{words.connect(wallet.name)}</bdi>
                </Button>
              </li>
            ))}
          </ul>
        </LongList>
      )}
      {asked && <WalletWait provider={asked.provider} />}
      {error !== undefined && <WalletFailure error={error} />}
    </fieldset>
  );
}
