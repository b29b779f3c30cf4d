import { useInfiniteQuery, useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { WebhookDelivery } from '../../../client/src/types.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, Select } from '../parts/field.tsx';
import { Loading } from '../parts/loading.tsx';
import { Time } from '../parts/time.tsx';
import { service } from '../service/client.ts';
import { queries } from '../service/queries.ts';
import { texts } from '../texts/texts.ts';

const words = texts.webhook;
const kinds = { pending: '', retry_pending: 'warn', succeeded: 'good', failed: 'bad' } as const;
type Status = WebhookDelivery['status'];
const isStatus = (text: string): text is Status => Object.hasOwn(kinds, text);

type DeliveriesProps = { readonly id: string; readonly mayWrite: boolean };

/** A receiver's deliveries, with each attempt. */
export function Deliveries({ id, mayWrite }: DeliveriesProps) {
  const [status, setStatus] = useState<Status>();
  const list = useInfiniteQuery({
    queryKey: ['deliveries', id, status],
    queryFn: async ({ pageParam, signal }) =>
      service.webhooks.listDeliveries(id, { limit: 25, cursor: pageParam, status }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pageInfo }) => pageInfo.nextCursor ?? undefined,
    refetchInterval: 5_000,
  });
  const rows = list.data?.pages.flatMap(({ data }) => data);
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
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {!rows && !list.error && <Loading />}
      {rows?.length === 0 && <p class="soft">{words.noDeliveries}</p>}
      <ul class="choices">
        {rows?.map((delivery) => (
          <Delivery key={delivery.id} delivery={delivery} mayWrite={mayWrite} />
        ))}
      </ul>
      {list.hasNextPage && <Button onPress={() => void list.fetchNextPage()}>{texts.more}</Button>}
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
          <span>{eventType}</span>
          {agreementId && (
            <a class="small" href={`/console/agreements/${agreementId}`}>
              {agreementId}
            </a>
          )}
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
