import { useMutation } from '@tanstack/preact-query';
import { useMemo, useState } from 'preact/hooks';
import { waitForDeployment } from '../../../client/src/index.ts';
import { DocumentText } from '../agreements/documentText.tsx';
import { listUnsigned } from '../agreements/listUnsigned.ts';
import { member } from '../agreements/member.ts';
import { Review } from '../agreements/review.tsx';
import type { Shown } from '../agreements/source.ts';
import { splitSigned } from '../agreements/splitSigned.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, Select, TextInput } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { useKeptFocus } from '../parts/keptFocus.ts';
import { Note } from '../parts/note.tsx';
import { deployPatience, service } from '../service/client.ts';
import { queries } from '../service/queries.ts';
import { chainName, useSettings } from '../service/settings.ts';
import { texts } from '../texts/texts.ts';
import { isSpentPermit } from '../wallet/isSpentPermit.ts';
import { type Connected, WalletChoice } from '../wallet/walletChoice.tsx';
import { WalletFailure } from '../wallet/walletFailure.tsx';
import { WalletWait } from '../wallet/walletWait.tsx';
import { DraftForm } from './draftForm.tsx';
import { PartyFields } from './partyFields.tsx';
import { listParties, splitValues, type Values } from './partyValues.ts';

const words = texts.author;

/** Deploys a document, signed by a wallet of this browser. */
export function DeployForm({ json }: { readonly json: Readonly<Record<string, unknown>> }) {
  const settings = useSettings();
  const parties = useMemo(() => listParties(json), [json]);
  const chains = settings.data?.chains ?? [];
  const [chosenChain, setChain] = useState('');
  const [displayName, setDisplayName] = useState(() => String(member(json, 'metadata', 'name') ?? ''));
  const [values, setValues] = useState<Values>({});
  const [wallet, setWallet] = useState<Connected>();
  const [isSent, setSent] = useState(false);
  const [who, setWho] = useState('me');
  const [access, setAccess] = useState('none');
  const participantAccess: 'none' | 'read' | 'sign' =
    access === 'read' || access === 'sign' ? access : 'none';
  const chain = chains.find(({ chainId }) => String(chainId) === chosenChain) ?? chains[0];
  const chainId = chain?.chainId ?? 0;
  const agreement = { ...json };
  const name = displayName.trim();
  const request = {
    agreement,
    chainId,
    ...splitValues(parties, values),
    displayName: name,
    participantAccess,
  };
  const prepare = useMutation({
    mutationFn: async ({ account: signer }: Connected) => {
      const { initValues, participants } = request;
      const [offered, { checkDeployment }] = await Promise.all([
        service.agreements.makeDeployTypedData({ agreement, chainId, initValues, participants, signer }),
        import('../wallet/signing.ts'),
      ]);
      const wallets = participants.map(({ variableKey, walletAddress }) => [variableKey, walletAddress]);
      const shown = { ...initValues, ...Object.fromEntries(wallets) };
      const factory = chain?.factory ?? '';
      const checked = checkDeployment(
        { chainId, factory, json: agreement, docUri: offered.docUri, values: shown },
        offered,
      );
      return { request, key: writeKey(request, signer), values: shown, factory, offered, checked, signer };
    },
  });
  const deploy = useMutation({
    mutationFn: async ({ provider }: Connected) => {
      const { data } = prepare;
      if (!data) throw new Error('nothing was prepared');
      setSent(false);
      const { signer } = data;
      const { signChecked } = await import('../wallet/signing.ts');
      const signature = await signChecked(data.checked, {
        provider,
        account: signer,
        chainId: data.request.chainId,
      });
      setSent(true);
      const { docUri, documentId, deadline } = data.offered;
      const record = await service.agreements.deployWithPermit(
        { ...data.request, signer, docUri, documentId, deadline, signature },
        deployPatience,
      );
      return waitForDeployment(service, record);
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['agreements'] }),
    onError: (error) => isSpentPermit(error) && prepare.reset(),
  });
  const isFilled = parties.every((party) => (values[party.name] ?? '') !== '') && name !== '';
  // A review is of what was prepared. It counts until anything is changed; while the wallet signs, nothing drops it.
  const prepared =
    deploy.isPending || (wallet && prepare.data?.key === writeKey(request, wallet.account))
      ? prepare.data
      : undefined;
  const use = (other: Connected | undefined) => {
    setWallet(other);
    prepare.reset();
    deploy.reset();
  };
  const failure = deploy.error && <WalletFailure error={deploy.error} />;
  const keptFocus = useKeptFocus<HTMLFormElement>([prepared]);
  if (deploy.data)
    return (
      <Note kind="good">
        <Heading>{words.isDeployed}</Heading>
        <p>
          <a href={`/console/agreements/${deploy.data.id}`}>{words.open_it}</a>
        </p>
      </Note>
    );
  return (
    <form
      class="stack"
      {...keptFocus}
      onSubmit={(event) => {
        event.preventDefault();
        if (!wallet || deploy.isPending) return;
        deploy.reset();
        prepare.mutate(wallet);
      }}
    >
      <Field label={words.displayName} hint={words.displayNameHint}>
        <TextInput value={displayName} onInput={setDisplayName} required />
      </Field>
      <Field label={words.chain}>
        <Select
          value={String(chainId)}
          onChange={setChain}
          options={chains.map((each) => [String(each.chainId), each.name] as const)}
        />
      </Field>
      <PartyFields json={json} parties={parties} values={values} onChange={setValues} />
      <Field label={words.access}>
        <Select value={access} onChange={setAccess} options={Object.entries(words.accesses)} />
      </Field>
      <Field label={words.who}>
        <Select value={who} onChange={setWho} options={Object.entries(words.signers)} />
      </Field>
      {who === 'other' && <DraftForm isFilled={isFilled} deployment={request} />}
      {who === 'me' && <WalletChoice connected={wallet} onChange={use} />}
      {who === 'me' && wallet && (
        <p class="row">
          {parties
            .filter(({ isParticipant }) => isParticipant)
            .map((party) => (
              <Button
                key={party.name}
                kind="plain"
                onPress={() => setValues({ ...values, [party.name]: wallet.account })}
              >
                {`${words.useMine}: ${party.name}`}
              </Button>
            ))}
        </p>
      )}
      {prepare.error && <Failure error={prepare.error} />}
      {who === 'other' ? null : prepared && wallet ? (
        <div class="panel stack">
          <Heading>{texts.act.toSign}</Heading>
          <Review
            sentence={words.sentence(prepared.request.displayName, chainName(prepared.request.chainId))}
            wallet={prepared.signer}
            party={undefined}
            {...splitSigned({
              json: prepared.request.agreement,
              displayName: prepared.request.displayName,
              variables: prepared.values,
            })}
            docUri={prepared.offered.docUri}
            chainId={prepared.request.chainId}
            contract={prepared.factory}
            offered={prepared.offered}
            checked={prepared.checked}
          />
          <SignedText json={prepared.request.agreement} variables={prepared.values} />
          {failure}
          {deploy.isPending && isSent && <Note>{words.deploying}</Note>}
          <p>
            <Button
              kind="primary"
              disabled={
                deploy.isPending || prepared.checked.differences.length > 0 || !prepared.offered.verdict.ok
              }
              onPress={() => deploy.mutate(wallet)}
            >
              {deploy.isPending && !isSent ? texts.act.waiting : texts.act.sign}
            </Button>
          </p>
          {deploy.isPending && <WalletWait provider={wallet.provider} />}
        </div>
      ) : (
        <>
          {failure}
          <p>
            <Button submit kind="primary" disabled={!isFilled || !wallet || prepare.isPending}>
              {prepare.isPending ? texts.act.preparing : words.review}
            </Button>
          </p>
        </>
      )}
    </form>
  );
}

type SignedTextProps = {
  readonly json: Shown['json'];
  readonly variables: Shown['variables'];
};

/** The text of the document, in which no character is hidden: its source in the editor may hide some. */
function SignedText({ json, variables }: SignedTextProps) {
  const unsigned = useMemo(() => listUnsigned({ json, variables }, []), [json, variables]);
  return <DocumentText shown={{ json, variables, status: 'Draft' }} unsigned={unsigned} />;
}

/** Equal for equal requests of the same signer. */
function writeKey(request: object, signer: string): string {
  return JSON.stringify([request, signer]);
}
