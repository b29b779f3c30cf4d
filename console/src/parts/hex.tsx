import { explorerUrl } from '../service/settings.ts';
import { texts } from '../texts/texts.ts';

type HexProps = {
  readonly value: string;
  /** Adds a link to a public explorer. */
  readonly chainId?: number | undefined;
  readonly kind?: 'tx' | 'address';
  readonly whole?: boolean;
};

/** An address or hash, shortened but distinguishable; whole on hover and when copied. */
export function Hex({ value, chainId, kind = 'address', whole = false }: HexProps) {
  const url = chainId === undefined ? undefined : explorerUrl(chainId, kind, value);
  const text = whole || value.length <= 14 ? value : `${value.slice(0, 6)}…${value.slice(-4)}`;
  const shown = (
    <code title={value} class={whole ? 'copy' : undefined}>
      {text}
    </code>
  );
  if (url === undefined) return shown;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" title={texts.explorer(value)}>
      {shown}
    </a>
  );
}
