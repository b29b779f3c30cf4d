import { useEffect } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Heading } from '../parts/heading.tsx';
import { Loading } from '../parts/loading.tsx';
import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';
import type { Connected } from '../wallet/walletChoice.tsx';
import { WalletFailure } from '../wallet/walletFailure.tsx';
import { WalletWait } from '../wallet/walletWait.tsx';
import { listOtherName, nameOfDocument } from './agreementName.ts';
import { OutdatedReviewError, UncheckedReviewError } from './basis.ts';
import { ChangedReview } from './changedReview.tsx';
import { describeField, findParty, nameOfInput } from './naming.ts';
import { OtherRules } from './otherRules.tsx';
import { Progress } from './progress.tsx';
import { Review } from './review.tsx';
import type { Act, AgreementSource, Shown } from './source.ts';
import { useSigning } from './useSigning.ts';

const words = texts.act;

type SignPanelProps = {
  readonly shown: Shown;
  readonly source: AgreementSource;
  readonly act: Act;
  readonly wallet: Connected;
  readonly onBack: () => void;
  readonly onSent: () => void;
  readonly onDone: () => void;
};

/** The data to sign in words and as a digest, then the signature, then its progress. */
export function SignPanel({ shown, source, act, wallet, onBack, onSent, onDone }: SignPanelProps) {
  const signing = useSigning({ shown, source, act, wallet });
  const { query, prepared, busy, error, sent, isUnsettled, sign, sendAgain } = signing;
  useEffect(() => {
    if (sent) onSent();
  }, [sent]);
  const isUnsent = error instanceof OutdatedReviewError;
  const name = nameOfInput(shown.json, act.inputId);
  if (sent)
    return (
      <div class="panel stack">
        <Heading>{name}</Heading>
        <Progress source={source} sent={sent} chainId={shown.chainId} />
        <p>
          <Button onPress={onDone}>{words.done}</Button>
        </p>
      </div>
    );
  return (
    <div class="panel stack">
      <div class="section-head">
        <Heading>{words.toSign}</Heading>
        <Button kind="plain" onPress={onBack} disabled={busy !== undefined}>
          {texts.cancel}
        </Button>
      </div>
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Loading lines={5} />}
      {isUnsent || signing.isOutdated ? (
        <ChangedReview isSigned={isUnsent} onReview={signing.reviewAgain} />
      ) : (
        prepared && (
          <>
            <OtherRules shown={shown} />
            <Review
              sentence={words.sentence(name, nameOfDocument(shown.json))}
              wallet={wallet.account}
              party={findParty(shown, wallet.account)}
              values={Object.entries(act.values).map(([field, value]) => [
                describeField(shown.json, act.inputId, field).name,
                value,
              ])}
              chainId={shown.chainId}
              unsigned={listOtherName(shown)}
              contract={shown.address ?? ''}
              {...prepared}
            />
            {prepared.basis.open.length > 0 && <Note kind="warn">{words.afterOpen}</Note>}
            {error !== undefined && <SendFailure error={error} />}
            {isUnsettled ? (
              <>
                <Note kind="warn">{words.mayBeStored}</Note>
                <p>
                  <Button kind="primary" onPress={() => void sendAgain()}>
                    {words.sendAgain}
                  </Button>
                </p>
              </>
            ) : (
              <p>
                <Button
                  kind="primary"
                  disabled={
                    busy !== undefined ||
                    query.isFetching ||
                    prepared.checked.differences.length > 0 ||
                    !prepared.offered.verdict.ok
                  }
                  onPress={() => void sign(prepared)}
                >
                  {busy === undefined ? words.sign : busy === 'signing' ? words.waiting : words.sending}
                </Button>
              </p>
            )}
            {busy === 'signing' && <WalletWait provider={wallet.provider} />}
          </>
        )
      )}
    </div>
  );
}

function SendFailure({ error }: { readonly error: unknown }) {
  if (!(error instanceof UncheckedReviewError)) return <WalletFailure error={error} />;
  return (
    <>
      <Note kind="bad">{words.unchecked}</Note>
      <WalletFailure error={error.cause} />
    </>
  );
}
