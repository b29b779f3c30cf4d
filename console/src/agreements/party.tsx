import { Hex } from '../parts/hex.tsx';

type PartyProps = {
  readonly wallet: string;
  /** Undefined for a wallet that the agreement does not name. */
  readonly name: string | undefined;
};

/** A participant by name, with the wallet on hover; a wallet without a name by its address. */
export function Party({ wallet, name }: PartyProps) {
  if (name === undefined) return <Hex value={wallet} />;
  return <bdi title={wallet}>{name}</bdi>;
}
