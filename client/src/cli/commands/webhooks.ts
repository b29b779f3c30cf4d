import { type Command, Option } from 'commander';
import type { Webhook, WebhookDelivery } from '../../types.ts';
import { CliError } from '../cliError.ts';
import { type Context, collect } from '../context.ts';
import { readCount } from '../readCount.ts';
import { readDocument } from '../readDocument.ts';
import { drawFacts, drawTable } from '../table.ts';
import { describeRest, takeFirst } from '../takeFirst.ts';
import { paint } from '../terminal.ts';
import { writeExamples } from '../writeExamples.ts';

export const eventTypes = ['agreement.transitioned', 'agreement.notification.triggered'] as const;
const deliveryStatuses = ['pending', 'retry_pending', 'succeeded', 'failed'] as const;

export function addWebhookCommands(program: Command, context: Context): void {
  const { terminal } = context;
  const call = { signal: terminal.stopped };
  const webhooks = program
    .command('webhooks')
    .description('subscriptions to events, and their deliveries')
    .addHelpText(
      'after',
      writeExamples('webhooks list', 'webhooks create https://example.com/hook', 'webhooks deliveries wh_…'),
    );

  webhooks
    .command('list')
    .description('list subscriptions')
    .addHelpText('after', writeExamples('webhooks list'))
    .action(async () => {
      const found: Webhook[] = [];
      for await (const webhook of context.client().webhooks.list({ limit: 100 }, call)) found.push(webhook);
      const rows = found.map(({ id, status, url, eventTypes: types }) => [id, status, url, types.join(', ')]);
      const text =
        found.length > 0
          ? drawTable(terminal, ['id', 'status', 'url', 'events'], rows)
          : 'There are no webhooks.';
      context.answer({ value: found, text });
    });

  webhooks
    .command('create')
    .description('subscribe a URL; the secret is shown once')
    .argument('<url>', 'where events go')
    .addOption(eventTypeOption('--event <type>', 'send only this type; repeatable'))
    .option(
      '--filters <file>',
      'a JSON object of filters, such as {"toStates": ["SIGNED"]}; - for the standard input',
    )
    .addHelpText(
      'after',
      writeExamples(
        'webhooks create https://example.com/hook --event agreement.transitioned',
        `webhooks create https://example.com/hook --filters - <<< '{"toStates": ["SIGNED"]}'`,
      ),
    )
    .action(async (url: string, options: { event: readonly string[]; filters?: string }) => {
      const chosen = options.event.map((type) => readEventType(type, '--event'));
      const filters =
        options.filters === undefined ? undefined : await readDocument(terminal, options.filters);
      const webhook = await context
        .client()
        .webhooks.create(
          { url, ...(chosen.length > 0 && { eventTypes: chosen }), ...(filters && { filters }) },
          call,
        );
      context.answer({ value: webhook, text: describe(context, webhook) });
    });

  const byId = (name: string, description: string, run: (id: string) => Promise<unknown>) =>
    webhooks
      .command(name)
      .description(description)
      .argument('<id>', 'the subscription')
      .addHelpText('after', writeExamples(`webhooks ${name} wh_…`))
      .action(async (id: string) => {
        const value = await run(id);
        context.answer({ value, text: describe(context, value) });
      });
  byId('show', 'show a subscription', (id) => context.client().webhooks.get(id, call));
  byId('disable', 'stop its deliveries', (id) => context.client().webhooks.disable(id, call));
  byId('enable', 'resume its deliveries', (id) =>
    context.client().webhooks.update(id, { status: 'active' }, call),
  );
  byId('test', 'send a test event at once', (id) => context.client().webhooks.test(id, call));
  byId('rotate-secret', 'replace the secret; the old one stays valid for a day', (id) =>
    context.client().webhooks.rotateSecret(id, {}, call),
  );

  webhooks
    .command('deliveries')
    .description('list deliveries, the newest first')
    .argument('<id>', 'the subscription')
    .addOption(new Option('--status <status>', 'only this status').choices(deliveryStatuses))
    .option('--limit <count>', 'at most this many', '100')
    .addHelpText('after', writeExamples('webhooks deliveries wh_… --status failed'))
    .action(async (id: string, options: { limit: string; status?: WebhookDelivery['status'] }) => {
      const { status } = options;
      const client = context.client();
      const found = await takeFirst(readCount(options.limit, '--limit'), (limit) =>
        client.webhooks.listDeliveries(id, { limit, status }, call),
      );
      const { items } = found;
      const rows = items.map((delivery) => [
        delivery.id,
        delivery.status,
        String(delivery.attempts.length),
        delivery.createdAt,
      ]);
      const table = drawTable(terminal, ['id', 'status', 'attempts', 'created'], rows);
      const none = status === undefined ? 'There are no deliveries yet.' : `No delivery is ${status}.`;
      const text = items.length > 0 ? `${table}${describeRest(terminal, found)}` : none;
      context.answer({ value: items, text });
    });

  webhooks
    .command('redeliver')
    .description('resend one delivery')
    .argument('<id>', 'the subscription')
    .argument('<delivery>', 'the delivery')
    .addHelpText('after', writeExamples('webhooks redeliver wh_… dlv_…'))
    .action(async (id: string, deliveryId: string) => {
      const delivery = await context.client().webhooks.redeliver(id, deliveryId, call);
      context.answer({ value: delivery, text: describe(context, delivery) });
    });

  webhooks
    .command('recover')
    .description('resend the deliveries that failed since a time')
    .argument('<id>', 'the subscription')
    .requiredOption('--since <time>', 'such as 2026-06-01T00:00:00Z')
    .addHelpText('after', writeExamples('webhooks recover wh_… --since 2026-06-01T00:00:00Z'))
    .action(async (id: string, { since }: { since: string }) => {
      const moment = new Date(since);
      if (Number.isNaN(moment.getTime()))
        throw new CliError('--since takes a time, such as 2026-06-01T00:00:00Z.');
      const value = await context.client().webhooks.recover(id, { since: moment.toISOString() }, call);
      context.answer({ value, text: `${value.recovered} deliveries will be resent.` });
    });
}

/** An option for event types, repeatable. */
export function eventTypeOption(flags: string, description: string): Option {
  const option = new Option(flags, description).choices(eventTypes);
  // Set after the choices: their own parser keeps only the last value.
  return option.argParser(collect).default([]);
}

/** @throws CliError for a type that cannot be subscribed to. */
export function readEventType(text: string, option: string): (typeof eventTypes)[number] {
  const type = eventTypes.find((known) => known === text);
  if (type) return type;
  throw new CliError(`${option} takes ${eventTypes.join(' or ')}.`);
}

/** The members of a resource to show on a line. */
function describe({ terminal }: Context, value: unknown): string {
  const members = Object.entries(value && typeof value === 'object' ? value : {});
  const facts = members.map(
    ([name, member]) => [name, typeof member === 'object' ? JSON.stringify(member) : String(member)] as const,
  );
  const text = drawFacts(terminal, facts);
  const hasSecret = members.some(([name]) => name === 'secret');
  return hasSecret
    ? `${text}\n${paint(terminal, 'yellow', 'Keep the secret: it is not shown again.')}`
    : text;
}
