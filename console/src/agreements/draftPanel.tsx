import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Heading } from '../parts/heading.tsx';
import { Hex } from '../parts/hex.tsx';
import { useKeptFocus } from '../parts/keptFocus.ts';
import { Note } from '../parts/note.tsx';
import { queries } from '../service/queries.ts';
import { useSettings } from '../service/settings.ts';
import { texts } from '../texts/texts.ts';
import { isSpentPermit } from '../wallet/isSpentPermit.ts';
import { type Connected, WalletChoice } from '../wallet/walletChoice.tsx';
import { WalletFailure } from '../wallet/walletFailure.tsx';
import { WalletWait } from '../wallet/walletWait.tsx';
import { nameOfDocument } from './agreementName.ts';
import { findParty, isSame } from './naming.ts';
import { Review } from './review.tsx';
import type { AgreementSource, Shown } from './source.ts';
import { splitSigned } from './splitSigned.ts';

const words = texts.act;

type DraftPanelProps = { readonly shown: Shown; readonly source: AgreementSource };

/** A deployment prepared for its owner: review it, sign it, and then it is deployed. */
export function DraftPanel({ shown, source }: DraftPanelProps) {
  const settings = useSettings();
  const [wallet, setWallet] = useState<Connected>();
  const [isSent, setSent] = useState(false);
  const factory = settings.data?.chains.find(({ chainId }) => chainId === shown.chainId)?.factory ?? '';
  const isOwner = wallet !== undefined && (shown.owner === undefined || isSame(wallet.account, shown.owner));
  const prepare = useMutation({
    mutationFn: async ({ account }: Connected) => {
      if (!source.prepareDraft) throw new Error('this draft is not signed here');
      const [offered, { checkDeployment }] = await Promise.all([
        source.prepareDraft(account),
        import('../wallet/signing.ts'),
      ]);
      const { chainId, json, docUri, variables: values } = shown;
      return { offered, checked: checkDeployment({ chainId, factory, json, docUri, values }, offered) };
    },
  });
  const deploy = useMutation({
    mutationFn: async ({ provider, account }: Connected) => {
      if (!prepare.data || !source.deployDraft) throw new Error('nothing was prepared');
      const { checked, offered } = prepare.data;
      setSent(false);
      const { signChecked } = await import('../wallet/signing.ts');
      const signature = await signChecked(checked, { provider, account, chainId: shown.chainId });
      setSent(true);
      return source.deployDraft({ signer: account, deadline: offered.deadline, signature });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: source.key }),
    onError: (error) => isSpentPermit(error) && prepare.reset(),
  });
  /** The prepared data are valid for this account only. */
  const use = (other: Connected | undefined) => {
    setWallet(other);
    prepare.reset();
    deploy.reset();
  };
  const failure = deploy.error && <WalletFailure error={deploy.error} />;
  const keptFocus = useKeptFocus([prepare.data, deploy.isSuccess]);
  return (
    <section class="panel stack" aria-label={words.draft.title} {...keptFocus}>
      <h2>{words.draft.title}</h2>
      <p>
        {words.draft.lead} {shown.owner && <Hex value={shown.owner} whole />}
      </p>
      {deploy.isSuccess ? (
        <Note kind="good">{words.draft.sent}</Note>
      ) : (
        shown.mayAct && (
          <>
            <WalletChoice connected={wallet} onChange={use} />
            {wallet && !isOwner && shown.owner && (
              <Note kind="warn">
                {words.draft.wrongWallet} <Hex value={shown.owner} whole />
              </Note>
            )}
            {prepare.error && <Failure error={prepare.error} />}
            {prepare.data && wallet ? (
              <div class="stack">
                <Heading>{words.toSign}</Heading>
                <Review
                  sentence={words.draft.sentence(nameOfDocument(shown.json))}
                  wallet={wallet.account}
                  party={findParty(shown, wallet.account)}
                  {...splitSigned(shown)}
                  docUri={shown.docUri}
                  chainId={shown.chainId}
                  contract={factory}
                  offered={prepare.data.offered}
                  checked={prepare.data.checked}
                />
                {failure}
                {deploy.isPending && isSent && <Note>{texts.author.deploying}</Note>}
                <p>
                  <Button
                    kind="primary"
                    disabled={
                      deploy.isPending ||
                      prepare.data.checked.differences.length > 0 ||
                      !prepare.data.offered.verdict.ok
                    }
                    onPress={() => deploy.mutate(wallet)}
                  >
                    {deploy.isPending && !isSent ? words.waiting : words.sign}
                  </Button>
                </p>
                {deploy.isPending && <WalletWait provider={wallet.provider} />}
              </div>
            ) : (
              <>
                {failure}
                <p>
                  <Button
                    kind="primary"
                    disabled={!isOwner || factory === '' || prepare.isPending}
                    onPress={() => {
                      deploy.reset();
                      if (wallet) prepare.mutate(wallet);
                    }}
                  >
                    {prepare.isPending ? words.preparing : words.review}
                  </Button>
                </p>
              </>
            )}
          </>
        )
      )}
    </section>
  );
}
