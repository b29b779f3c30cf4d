import { useMutation, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, TextInput } from '../parts/field.tsx';
import { Loading } from '../parts/loading.tsx';
import { NewSecret } from '../parts/newSecret.tsx';
import { Note } from '../parts/note.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { TitledPage } from '../parts/titledPage.tsx';
import { service } from '../service/client.ts';
import { lookAfter } from '../service/pauses.ts';
import { queries, useMay } from '../service/queries.ts';
import { texts } from '../texts/texts.ts';
import { Deliveries } from '../webhooks/deliveries.tsx';
import { WebhookSettings } from '../webhooks/webhookSettings.tsx';

const words = texts.webhook;

/** One subscription: its events, its deliveries, and ways to repair it. */
export function WebhookPage() {
  const id = useRoute().params.id ?? '';
  const mayWrite = useMay('webhooks.write');
  const key = ['webhook', id];
  const webhook = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => service.webhooks.get(id, { signal }),
    refetchInterval: ({ state: { error } }) => lookAfter(10_000, error),
  });
  useTitle(webhook.data?.url ?? words.title);
  const changed = () => queries.invalidateQueries({ queryKey: key });
  const test = useMutation({ mutationFn: () => service.webhooks.test(id), onSettled: changed });
  const rotate = useMutation({ mutationFn: () => service.webhooks.rotateSecret(id), onSettled: changed });
  const turn = useMutation({
    mutationFn: async () =>
      webhook.data?.status === 'active'
        ? service.webhooks.disable(id)
        : service.webhooks.update(id, { status: 'active' }),
    onSettled: changed,
  });
  if (!webhook.data)
    return (
      <TitledPage title={words.title}>
        {webhook.error ? (
          <Failure error={webhook.error} onRetry={() => void webhook.refetch()} />
        ) : (
          <Loading lines={10} />
        )}
      </TitledPage>
    );
  const { url, status, previousSecretUntil } = webhook.data;
  const error = test.error ?? rotate.error ?? turn.error;
  return (
    <>
      <p class="small">
        <a href="/console/webhooks">{words.back}</a>
      </p>
      <div class="page-head">
        <h1>{url}</h1>
        <span class={status === 'active' ? 'tag good' : 'tag'}>{texts.webhooks.statuses[status]}</span>
      </div>
      {mayWrite && (
        <div class="row">
          <Button onPress={() => test.mutate()} disabled={test.isPending || status !== 'active'}>
            {words.test}
          </Button>
          <Button onPress={() => rotate.mutate()} disabled={rotate.isPending}>
            {words.rotate}
          </Button>
          <Button onPress={() => turn.mutate()} disabled={turn.isPending}>
            {status === 'active' ? words.disable : words.enable}
          </Button>
        </div>
      )}
      {error && <Failure error={error} />}
      {test.data && (
        <Note kind={test.data.ok ? 'good' : 'bad'}>
          {test.data.ok
            ? words.testOk(test.data.responseStatus)
            : `${words.testFailed} ${test.data.error ?? test.data.responseStatus ?? ''}`}
        </Note>
      )}
      {rotate.data && (
        <NewSecret lead={`${texts.webhooks.secretOnce} ${words.rotateHint}`} secret={rotate.data.secret} />
      )}
      {previousSecretUntil && (
        <p class="small soft">
          {words.graceUntil} <Time at={previousSecretUntil} form="clock" />
        </p>
      )}
      <WebhookSettings key={id} webhook={webhook.data} mayWrite={mayWrite} onSaved={changed} />
      {mayWrite && <Recovery id={id} />}
      <Deliveries id={id} mayWrite={mayWrite} />
    </>
  );
}

function Recovery({ id }: { readonly id: string }) {
  const [since, setSince] = useState('');
  const recover = useMutation({
    mutationFn: () => service.webhooks.recover(id, { since: new Date(since).toISOString() }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['deliveries', id] }),
  });
  return (
    <section class="section">
      <form
        class="filters unprinted"
        onSubmit={(event) => {
          event.preventDefault();
          recover.mutate();
        }}
      >
        <Field label={words.recover}>
          <TextInput type="datetime-local" value={since} onInput={setSince} required />
        </Field>
        <Button submit disabled={recover.isPending || since === ''}>
          {words.redeliver}
        </Button>
      </form>
      {recover.error && <Failure error={recover.error} />}
      {recover.data && (
        <Note kind="good">{words.recovered(recover.data.recovered, recover.data.hasMore)}</Note>
      )}
    </section>
  );
}
