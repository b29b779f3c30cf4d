import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { WebhookDelivery } from '../../../client/src/types.ts';
import { AgreementLink } from '../agreements/agreementLink.tsx';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, Select } from '../parts/field.tsx';
import { Loading } from '../parts/loading.tsx';
import { More } from '../parts/more.tsx';
import { Time } from '../parts/time.tsx';
import { service } from '../service/client.ts';
import { queries } from '../service/queries.ts';
import { usePages } from '../service/usePages.ts';
import { texts } from '../texts/texts.ts';

const words = texts.webhook;
const kinds = { pending: '', retry_pending: 'warn', succeeded: 'good', failed: 'bad' } as const;
type Status = WebhookDelivery['status'];
const isStatus = (text: string): text is Status => Object.hasOwn(kinds, text);

type DeliveriesProps = { readonly id: string; readonly mayWrite: boolean };

export function Deliveries({ id, mayWrite }: DeliveriesProps) {
  const [status, setStatus] = useState<Status>();
  const { rows, error, retry, next } = usePages({
    queryKey: ['deliveries', id, status],
    list: async (cursor, signal) =>
      service.webhooks.listDeliveries(id, { limit: 25, cursor, status }, { signal }),
    lookMs: 5_000,
  });
  return (
    <section class="section">
      <div class="section-head">
        <h2>{words.deliveries}</h2>
        <Field label={words.deliveryStatus}>
          <Select
            value={status ?? ''}
            onChange={(text) => setStatus(isStatus(text) ? text : undefined)}
            options={[['', texts.all], ...Object.entries(words.deliveryStatuses)]}
          />
        </Field>
      </div>
      {error && <Failure error={error} onRetry={retry} />}
      {!rows && !error && <Loading />}
      {rows?.length === 0 && <p class="soft">{words.noDeliveries}</p>}
      <ul class="choices">
        {rows?.map((delivery) => (
          <Delivery key={delivery.id} delivery={delivery} mayWrite={mayWrite} />
        ))}
      </ul>
      <More next={next} />
    </section>
  );
}

function Delivery({
  delivery,
  mayWrite,
}: {
  readonly delivery: WebhookDelivery;
  readonly mayWrite: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  const { id, webhookId, eventType, agreementId, status, attemptCount, nextAttemptAt, createdAt, error } =
    delivery;
  const again = useMutation({
    mutationFn: () => service.webhooks.redeliver(webhookId, id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['deliveries', webhookId] }),
  });
  return (
    <li>
      <div>
        <div class="row">
          <span class={`tag ${kinds[status]}`}>{words.deliveryStatuses[status]}</span>
          <span title={eventType}>{words.deliveredTypes[eventType]}</span>
          {agreementId && <AgreementLink id={agreementId} />}
          <span class="small soft">
            <Time at={createdAt} />
          </span>
        </div>
        <div class="small soft">
          {words.attempts}: {attemptCount}
          {delivery.responseStatus !== undefined && ` · ${words.answer}: ${delivery.responseStatus}`}
          {error && ` · ${error}`}
          {nextAttemptAt && (
            <>
              {' '}
              · {words.next} <Time at={nextAttemptAt} />
            </>
          )}
        </div>
        {again.error && <Failure error={again.error} />}
        {isOpen && (
          <ol class="stack small">
            {delivery.attempts.map((attempt) => (
              <li key={attempt.number} class="panel">
                <div class="row">
                  <strong>{words.attempt(attempt.number)}</strong>
                  <Time at={attempt.startedAt} form="clock" />
                  <span>{words.took(attempt.durationMs)}</span>
                  <span>{attempt.responseStatus}</span>
                </div>
                {attempt.error && <p>{attempt.error}</p>}
                {attempt.responseExcerpt && (
                  <>
                    <p class="soft">{words.excerpt}</p>
                    <pre dir="auto">{attempt.responseExcerpt}</pre>
                  </>
                )}
              </li>
            ))}
          </ol>
        )}
      </div>
      <span class="row">
        {attemptCount > 0 && (
          <Button kind="plain" onPress={() => setOpen(!isOpen)}>
            {isOpen ? words.hideAttempts : words.showAttempts}
          </Button>
        )}
        {mayWrite && (status === 'failed' || status === 'succeeded') && (
          <Button kind="plain" onPress={() => again.mutate()} disabled={again.isPending}>
            {words.redeliver}
          </Button>
        )}
      </span>
    </li>
  );
}
