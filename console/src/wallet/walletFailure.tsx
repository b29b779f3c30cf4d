import { WalletFaultError } from '../../../client/src/viem/walletFaultError.ts';
import { Failure } from '../parts/failure.tsx';
import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';
import { findWalletError } from './walletError.ts';

const words = texts.wallet;

/** Explains errors of wallets and their owners; other errors are shown as usual. */
export function WalletFailure({ error }: { readonly error: unknown }) {
  if (error instanceof WalletFaultError) return <Note kind="bad">{words.faults[error.fault]}</Note>;
  const found = findWalletError(error);
  if (!found) return <Failure error={error} />;
  return (
    <Note kind="warn">
      <p>{words.errors[found.kind]}</p>
      {found.kind === 'failed' && found.said !== '' && (
        <p class="small">
          {words.says} <bdi>{found.said}</bdi>
        </p>
      )}
    </Note>
  );
}
