import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, Select, TextInput } from '../parts/field.tsx';
import { useKeptFocus } from '../parts/keptFocus.ts';
import { More } from '../parts/more.tsx';
import { NewSecret } from '../parts/newSecret.tsx';
import { Note } from '../parts/note.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { service } from '../service/client.ts';
import { queries, useSession } from '../service/queries.ts';
import { usePages } from '../service/usePages.ts';
import { texts } from '../texts/texts.ts';

const words = texts.keys;
type Capability = keyof typeof words.capabilities;
const capabilities: readonly Capability[] = [
  'agreements.read',
  'agreements.write',
  'webhooks.read',
  'webhooks.write',
];

const lookMs = 5_000;

/** Active sessions and unused links; a narrowed session sees only itself. */
export function KeysPage() {
  useTitle(words.title);
  const { data: caller } = useSession();
  const isNarrowed = caller?.session?.isNarrowed ?? false;
  return (
    <>
      <div class="page-head">
        <h1>{words.title}</h1>
      </div>
      <p class="lead">{words.lead}</p>
      <dl class="facts">
        <dt>{words.principal}</dt>
        <dd dir="auto">
          {caller?.principal.name} <code class="soft">{caller?.principal.id}</code>
        </dd>
        <dt>{words.may}</dt>
        <dd>
          {capabilities
            .filter((scope) => caller?.scopes[scope] === 'free_allowlist')
            .map((scope) => words.capabilities[scope])
            .join(', ')}
        </dd>
      </dl>
      {isNarrowed ? (
        <p class="section">{words.narrowed}</p>
      ) : (
        <>
          <Sessions />
          <PortalLinks />
        </>
      )}
      <p class="section soft">{words.signing}</p>
    </>
  );
}

function mayOf({
  isNarrowed,
  capabilities: given,
}: {
  isNarrowed: boolean;
  capabilities: readonly Capability[];
}) {
  return isNarrowed ? given.map((scope) => words.capabilities[scope]).join(', ') : words.everything;
}

function Sessions() {
  const { rows, error, retry, next } = usePages({
    queryKey: ['sessions'],
    list: async (cursor, signal) => service.sessions.list({ limit: 100, cursor }, { signal }),
    lookMs,
  });
  const end = useMutation({
    mutationFn: (id: string) => service.sessions.revoke(id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <section class="section" {...useKeptFocus()}>
      <h2>{words.sessions}</h2>
      {error && <Failure error={error} onRetry={retry} />}
      {end.error && <Failure error={end.error} />}
      {(rows || !error) && (
        <Table
          caption={words.sessionsCaption}
          expected={2}
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              title: words.label,
              show: ({ label, isCurrent }) => (
                <>
                  <span class="written" dir="auto">
                    {label ?? words.nameless}
                  </span>{' '}
                  {isCurrent && <span class="tag now">{words.current}</span>}
                </>
              ),
            },
            { title: words.may, show: mayOf },
            { title: words.opened, show: ({ createdAt }) => <Time at={createdAt} form="clock" /> },
            { title: words.lastUsed, show: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
            { title: words.ends, show: ({ expiresAt }) => <Time at={expiresAt} form="clock" /> },
            {
              title: words.end,
              isAction: true,
              show: ({ id, isCurrent }) =>
                !isCurrent && (
                  <Button kind="danger" onPress={() => end.mutate(id)} disabled={end.isPending}>
                    {words.end}
                  </Button>
                ),
            },
          ]}
        />
      )}
      <More next={next} />
    </section>
  );
}

function PortalLinks() {
  const key = ['portal links'];
  const changed = () => queries.invalidateQueries({ queryKey: key });
  const { rows, error, retry, next } = usePages({
    queryKey: key,
    list: async (cursor, signal) => service.sessions.listLinks({ limit: 100, cursor }, { signal }),
    lookMs,
  });
  const [label, setLabel] = useState('');
  const [seconds, setSeconds] = useState('3600');
  const [chosen, setChosen] = useState<readonly Capability[]>(capabilities);
  const make = useMutation({
    mutationFn: () =>
      service.sessions.createLink({
        expiresInSeconds: Number(seconds),
        ...(label.trim() !== '' && { label: label.trim() }),
        ...(chosen.length < capabilities.length && { capabilities: [...chosen] }),
      }),
    onSettled: changed,
  });
  const revoke = useMutation({
    mutationFn: (id: string) => service.sessions.revokeLink(id),
    onSettled: changed,
  });
  return (
    <section class="section" {...useKeptFocus()}>
      <h2>{words.links}</h2>
      <p class="lead">{words.linksLead}</p>
      <form
        class="stack unprinted"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <div class="filters">
          <Field label={words.label}>
            <TextInput value={label} onInput={setLabel} />
          </Field>
          <Field label={words.goodFor}>
            <Select value={seconds} onChange={setSeconds} options={Object.entries(words.lifetimes)} />
          </Field>
        </div>
        <fieldset class="row">
          <legend>{words.may}</legend>
          {capabilities.map((scope) => (
            <label key={scope} class="row">
              <input
                type="checkbox"
                checked={chosen.includes(scope)}
                onChange={({ currentTarget }) =>
                  setChosen(
                    currentTarget.checked ? [...chosen, scope] : chosen.filter((other) => other !== scope),
                  )
                }
              />
              {words.capabilities[scope]}
            </label>
          ))}
        </fieldset>
        <p>
          <Button submit kind="primary" disabled={make.isPending || chosen.length === 0}>
            {words.make}
          </Button>
        </p>
      </form>
      {make.error && <Failure error={make.error} />}
      {make.data && <NewSecret lead={words.linkOnce} secret={make.data.url} />}
      {error && <Failure error={error} onRetry={retry} />}
      {revoke.error && <Failure error={revoke.error} />}
      {rows?.length === 0 ? (
        <Note>{words.linksEmpty}</Note>
      ) : !rows && error ? null : (
        <Table
          caption={words.linksCaption}
          expected={1}
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              title: words.label,
              show: (link) => (
                <span class="written" dir="auto">
                  {link.label ?? words.nameless}
                </span>
              ),
            },
            { title: words.may, show: mayOf },
            { title: words.expires, show: ({ expiresAt }) => <Time at={expiresAt} form="clock" /> },
            {
              title: words.revoke,
              isAction: true,
              show: ({ id }) => (
                <Button kind="danger" onPress={() => revoke.mutate(id)} disabled={revoke.isPending}>
                  {words.revoke}
                </Button>
              ),
            },
          ]}
        />
      )}
      <More next={next} />
    </section>
  );
}
