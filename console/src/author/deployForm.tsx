import { useMutation } from '@tanstack/preact-query';
import { useMemo, useState } from 'preact/hooks';
import { waitForDeployment } from '../../../client/src/index.ts';
import { member, nameOfVariable } from '../agreements/naming.ts';
import { Review } from '../agreements/review.tsx';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, Select, TextInput } from '../parts/field.tsx';
import { Note } from '../parts/note.tsx';
import { service } from '../service/client.ts';
import { queries } from '../service/queries.ts';
import { chainName, useSettings } from '../service/settings.ts';
import { texts } from '../texts/texts.ts';
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
  const [who, setWho] = useState('me');
  const [access, setAccess] = useState('none');
  const participantAccess = access === 'read' || access === 'sign' ? access : 'none';
  const chain = chains.find(({ chainId }) => String(chainId) === chosenChain) ?? chains[0];
  const chainId = chain?.chainId ?? 0;
  const start = splitValues(parties, values);
  const prepare = useMutation({
    mutationFn: async ({ account }: Connected) => {
      const [offered, { checkDeployment }] = await Promise.all([
        service.agreements.makeDeployTypedData({
          agreement: { ...json },
          chainId,
          ...start,
          signer: account,
        }),
        import('../wallet/signing.ts'),
      ]);
      const wallets = start.participants.map(({ variableKey, walletAddress }) => [
        variableKey,
        walletAddress,
      ]);
      const facts = { chainId, factory: chain?.factory ?? '', json, docUri: offered.docUri };
      const checked = checkDeployment(
        { ...facts, values: { ...start.initValues, ...Object.fromEntries(wallets) } },
        offered,
      );
      return { offered, checked, signer: account };
    },
  });
  const deploy = useMutation({
    mutationFn: async ({ provider, account }: Connected) => {
      const { data } = prepare;
      if (!data) throw new Error('nothing was prepared');
      const { signChecked } = await import('../wallet/signing.ts');
      const signature = await signChecked(data.checked, { provider, account, chainId });
      const { docUri, documentId, deadline } = data.offered;
      const record = await service.agreements.deployWithPermit({
        agreement: { ...json },
        chainId,
        ...start,
        displayName: displayName.trim(),
        participantAccess,
        signer: account,
        docUri,
        documentId,
        deadline,
        signature,
      });
      return waitForDeployment(service, record);
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['agreements'] }),
  });
  const isFilled = parties.every(({ name }) => (values[name] ?? '') !== '') && displayName.trim() !== '';
  const forget = () => prepare.reset();
  const use = (other: Connected | undefined) => {
    setWallet(other);
    forget();
    deploy.reset();
  };
  if (deploy.data)
    return (
      <Note kind="good">
        <p>{words.isDeployed}</p>
        <p>
          <a href={`/console/agreements/${deploy.data.id}`}>{words.open_it}</a>
        </p>
      </Note>
    );
  return (
    <form
      class="stack"
      onInput={forget}
      onSubmit={(event) => {
        event.preventDefault();
        if (wallet) prepare.mutate(wallet);
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
      {who === 'other' && (
        <DraftForm
          isFilled={isFilled}
          deployment={{
            agreement: { ...json },
            chainId,
            ...start,
            displayName: displayName.trim(),
            participantAccess,
          }}
        />
      )}
      {who === 'me' && <WalletChoice connected={wallet} onChange={use} />}
      {who === 'me' && wallet && (
        <p class="row">
          {parties
            .filter(({ isParticipant }) => isParticipant)
            .map(({ name }) => (
              <Button
                key={name}
                kind="plain"
                onPress={() => setValues({ ...values, [name]: wallet.account })}
              >
                {`${words.useMine}: ${name}`}
              </Button>
            ))}
        </p>
      )}
      {prepare.error && <Failure error={prepare.error} />}
      {who === 'other' ? null : prepare.data && wallet ? (
        <div class="panel stack">
          <Review
            sentence={words.sentence(displayName, chainName(chainId))}
            wallet={wallet.account}
            party={undefined}
            values={Object.entries(values).map(([variable, value]) => [
              nameOfVariable(json, variable),
              value,
            ])}
            chainId={chainId}
            contract={chain?.factory ?? ''}
            offered={prepare.data.offered}
            checked={prepare.data.checked}
          />
          {deploy.error && <WalletFailure error={deploy.error} />}
          {deploy.isPending && <Note>{words.deploying}</Note>}
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
              {texts.act.sign}
            </Button>
          </p>
          {deploy.isPending && <WalletWait provider={wallet.provider} />}
        </div>
      ) : (
        <p>
          <Button submit kind="primary" disabled={!isFilled || !wallet || prepare.isPending}>
            {prepare.isPending ? texts.act.preparing : words.review}
          </Button>
        </p>
      )}
    </form>
  );
}
