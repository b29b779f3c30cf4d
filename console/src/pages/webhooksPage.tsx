import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, TextInput } from '../parts/field.tsx';
import { More } from '../parts/more.tsx';
import { NewSecret } from '../parts/newSecret.tsx';
import { Note } from '../parts/note.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { service } from '../service/client.ts';
import { queries, useMay } from '../service/queries.ts';
import { usePages } from '../service/usePages.ts';
import { texts } from '../texts/texts.ts';
import { type EventType, EventTypes } from '../webhooks/eventTypes.tsx';
import { SignatureCheck } from '../webhooks/signatureCheck.tsx';

const words = texts.webhooks;

export function WebhooksPage() {
  useTitle(words.title);
  const mayWrite = useMay('webhooks.write');
  const mayRead = useMay('webhooks.read');
  return (
    <>
      <div class="page-head">
        <h1>{words.title}</h1>
      </div>
      <p class="lead">{words.lead}</p>
      {mayRead || !mayWrite ? <Webhooks /> : <Note kind="warn">{words.mayNotRead}</Note>}
      {mayWrite && <NewWebhook />}
      <SignatureCheck />
    </>
  );
}

function Webhooks() {
  const { rows, error, retry, next } = usePages({
    queryKey: ['webhooks'],
    list: async (cursor, signal) => service.webhooks.list({ limit: 100, cursor }, { signal }),
    lookMs: 10_000,
  });
  return (
    <>
      {error && <Failure error={error} onRetry={retry} />}
      {rows?.length === 0 ? (
        <div class="empty">
          <p>{words.empty}</p>
          <p class="small">{words.emptyHint}</p>
        </div>
      ) : (
        !(error && !rows) && (
          <Table
            caption={words.caption}
            expected={2}
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                title: words.url,
                isTitle: true,
                show: ({ id, url }) => (
                  <a class="name" href={`/console/webhooks/${id}`}>
                    {url}
                  </a>
                ),
              },
              {
                title: words.types,
                show: ({ eventTypes }) => eventTypes.map((type) => words.typeNames[type]).join(', '),
              },
              {
                title: words.status,
                show: ({ status, failuresInRow }) => (
                  <>
                    <span class={status === 'active' ? 'tag good' : 'tag'}>{words.statuses[status]}</span>{' '}
                    {failuresInRow > 0 && <span class="tag bad">{words.failing(failuresInRow)}</span>}
                  </>
                ),
              },
              { title: words.last, show: ({ lastSuccessAt }) => <Time at={lastSuccessAt} /> },
            ]}
          />
        )
      )}
      <More next={next} />
    </>
  );
}

function NewWebhook() {
  const [url, setUrl] = useState('');
  const [types, setTypes] = useState<readonly EventType[]>(['agreement.transitioned']);
  const make = useMutation({
    mutationFn: () => service.webhooks.create({ url: url.trim(), eventTypes: [...types] }),
    onSuccess() {
      setUrl('');
      return queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  return (
    <section class="section">
      <h2>{words.create}</h2>
      <form
        class="stack unprinted"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <Field label={words.url} hint={words.urlHint}>
          <TextInput type="url" value={url} onInput={setUrl} required />
        </Field>
        <EventTypes chosen={types} onChange={setTypes} />
        <p>
          <Button submit kind="primary" disabled={make.isPending || types.length === 0}>
            {words.make}
          </Button>
        </p>
      </form>
      {make.error && <Failure error={make.error} />}
      {make.data && <NewSecret lead={words.secretOnce} secret={make.data.secret} />}
    </section>
  );
}
