import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { queries } from '../service/queries.ts';
import { texts } from '../texts/texts.ts';
import { isSpentPermit } from '../wallet/isSpentPermit.ts';
import type { Checked } from '../wallet/signing.ts';
import type { Connected } from '../wallet/walletChoice.tsx';
import { WalletFailure } from '../wallet/walletFailure.tsx';
import { WalletWait } from '../wallet/walletWait.tsx';
import { describeField, findParty, nameOfInput } from './naming.ts';
import { Progress } from './progress.tsx';
import { Review } from './review.tsx';
import type { Act, AgreementSource, Shown, ShownInput } from './source.ts';

const words = texts.act;

type SignPanelProps = {
  readonly shown: Shown;
  readonly source: AgreementSource;
  readonly act: Act;
  readonly wallet: Connected;
  readonly onBack: () => void;
  readonly onDone: () => void;
};

/** The data to sign in words and as a digest, then the signature, then its progress. */
export function SignPanel({ shown, source, act, wallet, onBack, onDone }: SignPanelProps) {
  const [busy, setBusy] = useState<'signing' | 'sending'>();
  const [error, setError] = useState<unknown>();
  const [sent, setSent] = useState<ShownInput>();
  const prepared = useQuery({
    queryKey: ['permit', ...source.key, act.inputId, JSON.stringify(act.values), wallet.account],
    queryFn: async ({ signal }) => {
      const [offered, { checkInput }] = await Promise.all([
        source.prepare({ ...act, signer: wallet.account }, signal),
        import('../wallet/signing.ts'),
      ]);
      const agreementAddress = shown.address ?? '';
      return { offered, checked: checkInput({ ...shown, ...act, agreementAddress }, offered) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const sign = async (checked: Checked, deadline: number) => {
    setError(undefined);
    try {
      setBusy('signing');
      const { signChecked } = await import('../wallet/signing.ts');
      const { provider, account } = wallet;
      const signature = await signChecked(checked, { provider, account, chainId: shown.chainId });
      setBusy('sending');
      setSent(await source.submit({ ...act, signer: account, deadline, signature }));
      void queries.invalidateQueries({ queryKey: source.key });
    } catch (cause) {
      setError(cause);
      if (isSpentPermit(cause)) void prepared.refetch();
    } finally {
      setBusy(undefined);
    }
  };
  const name = nameOfInput(shown.json, act.inputId);
  if (sent)
    return (
      <div class="panel stack">
        <h3 dir="auto">{name}</h3>
        <Progress source={source} sent={sent} chainId={shown.chainId} />
        <p>
          <Button onPress={onDone}>{words.done}</Button>
        </p>
      </div>
    );
  return (
    <div class="panel stack">
      <div class="section-head">
        <h3>{words.toSign}</h3>
        <Button kind="plain" onPress={onBack} disabled={busy !== undefined}>
          {texts.cancel}
        </Button>
      </div>
      {prepared.error && <Failure error={prepared.error} onRetry={() => void prepared.refetch()} />}
      {prepared.isPending && <Loading lines={5} />}
      {prepared.data && (
        <>
          <Review
            sentence={words.sentence(name, shown.displayName)}
            wallet={wallet.account}
            party={findParty(shown, wallet.account)}
            values={Object.entries(act.values).map(([field, value]) => [
              describeField(shown.json, act.inputId, field).name,
              value,
            ])}
            chainId={shown.chainId}
            contract={shown.address ?? ''}
            offered={prepared.data.offered}
            checked={prepared.data.checked}
          />
          {error !== undefined && <WalletFailure error={error} />}
          <p>
            <Button
              kind="primary"
              disabled={
                busy !== undefined ||
                prepared.isFetching ||
                prepared.data.checked.differences.length > 0 ||
                !prepared.data.offered.verdict.ok
              }
              onPress={() => void sign(prepared.data.checked, prepared.data.offered.deadline)}
            >
              {busy === undefined ? words.sign : words.waiting}
            </Button>
          </p>
          {busy === 'signing' && <WalletWait provider={wallet.provider} />}
        </>
      )}
    </div>
  );
}
