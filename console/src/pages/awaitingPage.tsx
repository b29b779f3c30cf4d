import { useMutation, useQuery } from '@tanstack/preact-query';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { UnauthorizedError } from '../../../client/src/index.ts';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { AgreementView } from '../agreements/agreementView.tsx';
import { guestSource } from '../agreements/source.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Hex } from '../parts/hex.tsx';
import { Loading } from '../parts/loading.tsx';
import { More } from '../parts/more.tsx';
import { Note } from '../parts/note.tsx';
import { Table } from '../parts/table.tsx';
import { ThemeChoice } from '../parts/themeChoice.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { TitledPage } from '../parts/titledPage.tsx';
import { service } from '../service/client.ts';
import { changeSession, followSessionChange } from '../service/sessionChange.ts';
import { chainName } from '../service/settings.ts';
import { usePages } from '../service/usePages.ts';
import { texts } from '../texts/texts.ts';
import { type Connected, WalletChoice } from '../wallet/walletChoice.tsx';
import { WalletFailure } from '../wallet/walletFailure.tsx';
import { WalletWait } from '../wallet/walletWait.tsx';

const words = texts.awaiting;

/**
 * A wallet's possible actions now, over all principals that let participants in; for users who log in with
 * the wallet.
 */
export function AwaitingPage() {
  useTitle(words.title);
  const id = useLocation().path.split('/')[3];
  const session = useQuery({
    queryKey: ['wallet session'],
    queryFn: ({ signal }) => service.wallet.current({ signal }),
  });
  const leave = useMutation({
    mutationFn: () => service.wallet.logout(),
    onSuccess: () => changeSession('wallet'),
  });
  useEffect(() => followSessionChange('wallet'), []);
  const hasEnded = session.error instanceof UnauthorizedError;
  return (
    <>
      <header class="guest-bar">
        <a class="brand" href="/console/awaiting">
          {texts.brand}
        </a>
        <span class="row">
          {session.data && !hasEnded && (
            <>
              <span class="small">
                {words.loggedIn} <Hex value={session.data.wallet} />
              </span>
              <Button kind="plain" onPress={() => leave.mutate()}>
                {words.logout}
              </Button>
            </>
          )}
          <ThemeChoice />
        </span>
      </header>
      <main class="page guest" id="main">
        {leave.error && !(leave.error instanceof UnauthorizedError) && <Failure error={leave.error} />}
        {hasEnded ? (
          <Login hasEnded={session.data !== undefined} />
        ) : session.data ? (
          id ? (
            <Opened id={id} wallet={session.data.wallet} />
          ) : (
            <Awaiting wallet={session.data.wallet} />
          )
        ) : session.error ? (
          <TitledPage title={words.title}>
            <Failure error={session.error} onRetry={() => void session.refetch()} />
          </TitledPage>
        ) : (
          <Loading />
        )}
      </main>
    </>
  );
}

type LoginProps = {
  /** Whether a session has ended while the page was open. */
  readonly hasEnded: boolean;
};

function Login({ hasEnded }: LoginProps) {
  const [wallet, setWallet] = useState<Connected>();
  const enter = useMutation({
    mutationFn: async (connected: Connected) => {
      const [{ id, message }, { signLogin }] = await Promise.all([
        service.wallet.createChallenge({ wallet: connected.account }),
        import('../wallet/signLogin.ts'),
      ]);
      return service.wallet.login({ challengeId: id, signature: await signLogin(connected, message) });
    },
    onSuccess: () => changeSession('wallet'),
  });
  return (
    <div class="stack">
      <h1>{words.title}</h1>
      {hasEnded && <Note kind="warn">{texts.login.ended}</Note>}
      <p class="soft">{words.lead}</p>
      <WalletChoice connected={wallet} onChange={setWallet} />
      {enter.error && <WalletFailure error={enter.error} />}
      <p>
        <Button
          kind="primary"
          disabled={wallet === undefined || enter.isPending}
          onPress={() => wallet && enter.mutate(wallet)}
        >
          {enter.isPending ? texts.act.waiting : words.login}
        </Button>
      </p>
      {wallet && enter.isPending && <WalletWait provider={wallet.provider} />}
    </div>
  );
}

function Awaiting({ wallet }: { readonly wallet: string }) {
  const { rows, error, retry, next } = usePages({
    queryKey: ['wallet agreements', wallet],
    list: async (cursor, signal) => service.wallet.listAgreements({ limit: 100, cursor }, { signal }),
    lookMs: 5_000,
  });
  return (
    <>
      <div class="page-head">
        <h1>{words.title}</h1>
      </div>
      {error && <Failure error={error} onRetry={retry} />}
      {rows?.length === 0 ? (
        // A page may be empty although others follow.
        !next && (
          <div class="empty">
            <p>{words.empty}</p>
            <p class="small">{words.emptyHint}</p>
          </div>
        )
      ) : !rows && error ? null : (
        <Table
          caption={words.caption}
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              title: words.agreement,
              isTitle: true,
              show: ({ id, displayName, chainId }) => (
                <>
                  <a class="name" href={`/console/awaiting/${id}`} dir="auto">
                    {showUnseen(displayName)}
                  </a>
                  <div class="small soft">{chainName(chainId)}</div>
                </>
              ),
            },
            {
              title: words.state,
              show: ({ state, status }) => (
                <span class="tag" dir="auto">
                  {showUnseen(state ?? status)}
                </span>
              ),
            },
            {
              title: words.can,
              show: ({ inputs, awaitsSignature }) =>
                awaitsSignature ? (
                  <strong>{words.sign}</strong>
                ) : inputs.length > 0 ? (
                  <strong dir="auto" title={inputs.map(({ inputId }) => inputId).join(', ')}>
                    {inputs.map(({ displayName }) => showUnseen(displayName)).join(', ')}
                  </strong>
                ) : (
                  <span class="soft">{words.nothing}</span>
                ),
            },
            { title: words.changed, show: ({ updatedAt }) => <Time at={updatedAt} /> },
          ]}
        />
      )}
      <More next={next} />
    </>
  );
}

type OpenedProps = { readonly id: string; readonly wallet: string };

function Opened({ id, wallet }: OpenedProps) {
  const source = useMemo(() => guestSource(service.wallet.open(id), `${id} for ${wallet}`), [id, wallet]);
  return (
    <>
      <p class="small">
        <a href="/console/awaiting">{words.back}</a>
      </p>
      <AgreementView key={`${id} ${wallet}`} source={source} />
    </>
  );
}
