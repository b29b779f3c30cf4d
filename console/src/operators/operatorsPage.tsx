import { useState } from 'preact/hooks';
import { Loading } from '../parts/loading.tsx';
import { LongList } from '../parts/longList.tsx';
import { Note } from '../parts/note.tsx';
import { Table } from '../parts/table.tsx';
import { ThemeChoice } from '../parts/themeChoice.tsx';
import { useTitle } from '../parts/title.ts';
import { chainName } from '../service/settings.ts';
import { texts } from '../texts/texts.ts';
import { type EventFacts, type Readiness, useEventFacts, useReadiness } from './facts.ts';
import { RequestRates } from './requestRates.tsx';
import { Trace } from './trace.tsx';
import { WaitingTransactions } from './waitingTransactions.tsx';

const words = texts.operators;

/** The operators' page: readiness, lags, waiting work, wallets; and everything about one id. */
export function OperatorsPage() {
  useTitle(words.title);
  const readiness = useReadiness();
  const events = useEventFacts();
  // A new object follows the same id again.
  const [followed, setFollowed] = useState<{ readonly id: string }>();
  return (
    <>
      <header class="guest-bar">
        <span class="brand">{texts.brand}</span>
        <span>
          <ThemeChoice />
        </span>
      </header>
      <main class="page guest" id="main">
        <div class="page-head">
          <h1>{words.title}</h1>
          {readiness.data && (
            <span class={readiness.data.status === 'ready' ? 'tag good' : 'tag bad'}>
              {readiness.data.status === 'ready' ? words.ready : words.unready}
            </span>
          )}
        </div>
        {readiness.error && <Note kind="bad">{words.away}</Note>}
        {readiness.data ? (
          <Overview readiness={readiness.data} events={events} onFollow={setFollowed} />
        ) : (
          <Loading lines={12} />
        )}
        <RequestRates />
        <Trace wanted={followed} />
      </main>
    </>
  );
}

type OverviewProps = {
  readonly readiness: Readiness;
  readonly events: { readonly data: EventFacts | undefined; readonly error: unknown };
  readonly onFollow: (thing: { readonly id: string }) => void;
};

function Overview({ readiness, events, onFollow }: OverviewProps) {
  const { checks, reasons, degraded, chains, endpoints } = readiness;
  const wallets = chains.flatMap(({ chainId, wallets: own }) =>
    own.map((wallet) => ({ chainId, ...wallet })),
  );
  const oldest = Math.max(
    0,
    ...chains.map(({ outbox }) => outbox.oldestAgeSeconds),
    ...(events.data?.waiting ?? []).map(({ oldestAgeSeconds }) => oldestAgeSeconds),
  );
  return (
    <>
      {reasons.length > 0 && (
        <Note kind="bad">
          {reasons.map((reason) => (
            <p key={reason}>{reason}</p>
          ))}
        </Note>
      )}
      {degraded.length > 0 && (
        <Note kind="warn">
          {degraded.map((reason) => (
            <p key={reason}>{reason}</p>
          ))}
        </Note>
      )}
      <p class="row">
        {Object.entries(checks).map(([name, isMet]) => (
          <span key={name} class={isMet ? 'tag good' : 'tag bad'}>
            {words.checkNames[name] ?? name}
          </span>
        ))}
        <span class="soft">
          {words.oldestThing}: {words.seconds(oldest)}
        </span>
      </p>
      <section class="section">
        <h2>{words.chains}</h2>
        <Table
          caption={words.chains}
          rows={chains}
          keyOf={({ chainId }) => String(chainId)}
          columns={[
            { title: words.chain, show: ({ chainId }) => chainName(chainId) },
            { title: words.index, show: ({ index }) => <Standing position={index} /> },
            { title: words.folded, show: ({ folded }) => <Standing position={folded} /> },
            {
              title: words.outbox,
              show: ({ outbox, rebuilding, silentSince }) => (
                <>
                  {words.open(outbox.depth)}
                  <div class="small soft">
                    {Object.entries(outbox.byState)
                      .map(([state, count]) => `${state} ${count}`)
                      .join(' · ')}
                  </div>
                  {rebuilding && <span class="tag warn">{words.rebuilding}</span>}
                  {silentSince && <span class="tag warn">{words.silent}</span>}
                </>
              ),
            },
            {
              title: words.oldest,
              show: ({ outbox }) => (outbox.depth > 0 ? words.seconds(outbox.oldestAgeSeconds) : words.none),
            },
          ]}
        />
      </section>
      <WaitingTransactions onFollow={onFollow} />
      <section class="section">
        <h2>{words.deliveries}</h2>
        <div class="stack">
          {events.error ? <Note kind="bad">{words.away}</Note> : null}
          <dl class="facts">
            {(events.data?.waiting ?? []).map(({ status, count, oldestAgeSeconds }) => [
              <dt key={status}>{words.waiting[status]}</dt>,
              <dd key={`${status} count`}>
                {count.toLocaleString()}{' '}
                {count > 0 && (
                  <span class="soft">
                    {words.oldest}: {words.seconds(oldestAgeSeconds)}
                  </span>
                )}
              </dd>,
            ])}
            <dt>{words.quarantined}</dt>
            <dd>{events.data?.quarantined.reduce((sum, { count }) => sum + count, 0) ?? words.none}</dd>
            <dt>{words.released}</dt>
            <dd>{events.data?.released.toLocaleString() ?? words.none}</dd>
          </dl>
        </div>
      </section>
      <section class="section">
        <h2>{words.nodes}</h2>
        <LongList length={endpoints.length}>
          <Table
            caption={words.nodes}
            rows={endpoints}
            keyOf={({ chainId, host }) => `${chainId} ${host}`}
            columns={[
              { title: words.node, show: ({ host }) => <code>{host}</code> },
              { title: words.chain, show: ({ chainId }) => chainName(chainId) },
              {
                title: words.status,
                show: ({ status, restsForSeconds }) => (
                  <span class={status === 'ok' ? 'tag good' : 'tag bad'}>
                    {status}
                    {restsForSeconds > 0 && ` · ${words.rests(restsForSeconds)}`}
                  </span>
                ),
              },
              { title: words.block, show: ({ blockNumber }) => blockNumber ?? words.none },
              { title: words.behindBlocks, show: ({ behindBlocks }) => behindBlocks ?? words.none },
              { title: words.failures, show: ({ failuresInARow }) => failuresInARow },
            ]}
          />
        </LongList>
      </section>
      <section class="section">
        <h2>{words.wallets}</h2>
        <LongList length={wallets.length}>
          <Table
            caption={words.wallets}
            rows={wallets}
            keyOf={({ chainId, address }) => `${chainId} ${address}`}
            columns={[
              { title: words.wallet, show: ({ address }) => <code class="copy">{address}</code> },
              { title: words.chain, show: ({ chainId }) => chainName(chainId) },
              { title: words.status, show: ({ status }) => status },
              { title: words.balance, show: ({ balanceWei }) => writeEther(balanceWei) },
              { title: words.nextNonce, show: ({ nextNonce }) => nextNonce },
              { title: words.underWay, show: ({ underWay }) => underWay },
            ]}
          />
        </LongList>
      </section>
    </>
  );
}

function Standing({ position }: { readonly position: { blockNumber: number; lagSeconds: number } | null }) {
  if (!position) return <span class="tag warn">{words.none}</span>;
  return (
    <>
      {position.blockNumber.toLocaleString()}{' '}
      <span class="small soft">{words.blockAge(position.lagSeconds)}</span>
    </>
  );
}

const weiDigits = 18;
const shownDigits = 5;

function writeEther(wei: string): string {
  const padded = wei.padStart(weiDigits + 1, '0');
  return `${padded.slice(0, -weiDigits)}.${padded.slice(-weiDigits).slice(0, shownDigits)}`;
}
