import { createHmac, randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { AgreementsClient } from '../../agreementsClient.ts';
import { listenToEvents, type OpenEvents } from '../../listenToEvents.ts';
import type { AgreementEvent } from '../../types.ts';
import { CliError } from '../cliError.ts';
import type { Context } from '../context.ts';
import { isAddress, withoutUser } from '../settings.ts';
import { paint } from '../terminal.ts';
import { writeExamples } from '../writeExamples.ts';
import { describeEvent } from './events.ts';

const attemptTimeoutMs = 10_000;
const noAnswer = 'no answer';
/** The stream's name for the end of the feed. */
const present = 'now';

export function addListen(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('listen')
    .description(
      'print events as they happen; with --forward-to, also send them to a receiver, signed like webhooks',
    )
    .option('--forward-to <url>', 'the receiver, such as http://127.0.0.1:4000/webhooks')
    .option('--secret <secret>', 'sign with this whsec_… instead of a new one')
    .option('--after <cursor>', 'begin after this cursor; now is the end of the feed', present)
    .addHelpText('after', writeExamples('listen', 'listen --forward-to http://127.0.0.1:4000/webhooks'))
    .action(async (options: { forwardTo?: string; secret?: string; after: string }) => {
      const { forwardTo } = options;
      if (forwardTo !== undefined && !isAddress(forwardTo))
        throw new CliError(
          `--forward-to takes a URL with http:// or https:// and without a user, not ${withoutUser(forwardTo)}.`,
        );
      if (options.secret !== undefined && !/^whsec_.{26,}$/.test(options.secret))
        throw new CliError('--secret takes the secret of a subscription: whsec_…');
      const secret = options.secret ?? `whsec_${randomBytes(32).toString('hex')}`;
      const client = context.client();
      const signal = terminal.stopped;
      const after = await findStart(client, { after: options.after, signal });
      const text = forwardTo
        ? `Forwarding to ${forwardTo}. The secret is ${secret}`
        : 'Listening. Ctrl-C ends it.';
      context.stream({ value: { listening: true, ...(forwardTo && { forwardTo, secret }) }, text });
      for await (const { event, cursor } of client.events.follow({ after, signal })) {
        const result =
          forwardTo === undefined ? undefined : await forward(event, { url: forwardTo, secret, signal });
        if (result?.text === noAnswer && signal.aborted) return;
        const mark =
          result === undefined ? '' : ` ${paint(terminal, result.ok ? 'green' : 'red', result.text)}`;
        const value = { event, cursor, ...(result && { answer: result.text }) };
        context.stream({ value, text: `${describeEvent(context, event)}${mark}` });
      }
    });
}

/**
 * The cursor to begin after.
 *
 * @throws ApiError for a cursor of another feed.
 */
async function findStart(
  { events }: AgreementsClient,
  { after, signal }: { after: string; signal: AbortSignal },
): Promise<string | undefined> {
  if (after !== present) {
    await events.list({ after, limit: 1 }, { signal });
    return after;
  }
  const open: OpenEvents = (query, options) => events.openStream(query, options);
  // The first message of a stream is its position.
  for await (const { cursor } of listenToEvents(open, { after, signal })) return cursor;
  // The stream does not work here: read all pages to find the end.
  let end: string | undefined;
  for await (const { pageInfo } of events.list({ limit: 100 }, { signal }).pages())
    end = pageInfo.nextCursor ?? end;
  return end;
}

/** Sends an event once, signed like the service's deliveries. Waits for no answer after `signal`. */
async function forward(
  event: AgreementEvent,
  to: { url: string; secret: string; signal: AbortSignal },
): Promise<{ ok: boolean; text: string }> {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const own = createHmac('sha256', to.secret).update(`${timestamp}.${body}`).digest('hex');
  const key = Buffer.from(to.secret.replace(/^whsec_/, ''), 'base64');
  const standard = createHmac('sha256', key).update(`${event.id}.${timestamp}.${body}`).digest('base64');
  try {
    const response = await fetch(to.url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.any([to.signal, AbortSignal.timeout(attemptTimeoutMs)]),
      headers: {
        'content-type': 'application/json',
        'x-svc-webhook-id': event.id,
        'x-svc-webhook-timestamp': timestamp,
        'x-svc-webhook-signature': `sha256=${own}`,
        'webhook-id': event.id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${standard}`,
      },
    });
    await response.body?.cancel();
    return { ok: response.ok, text: String(response.status) };
  } catch {
    return { ok: false, text: noAnswer };
  }
}
