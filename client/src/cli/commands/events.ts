import type { Command } from 'commander';
import type { AgreementEvent } from '../../types.ts';
import type { Context } from '../context.ts';
import { readCount } from '../readCount.ts';
import { paint, plain } from '../terminal.ts';
import { writeExamples } from '../writeExamples.ts';
import { eventTypeOption, readEventType } from './webhooks.ts';

export function addEventCommands(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('events')
    .description('print the feed of events; with --follow, also new events as they happen')
    .option('--after <cursor>', 'begin after this cursor; otherwise with the first event')
    .option('--limit <count>', 'at most this many')
    .addOption(eventTypeOption('--type <type>', 'only this type; repeatable'))
    .option('--follow', 'continue until Ctrl-C')
    .addHelpText(
      'after',
      writeExamples('events --limit 10', 'events --follow --type agreement.transitioned --json'),
    )
    .action(async (options: { after?: string; limit?: string; type: readonly string[]; follow?: true }) => {
      const { after, follow } = options;
      const types: readonly string[] = options.type.map((type) => readEventType(type, '--type'));
      const most =
        options.limit === undefined ? Number.POSITIVE_INFINITY : readCount(options.limit, '--limit');
      const client = context.client();
      const signal = terminal.stopped;
      const wanted = ({ type }: AgreementEvent) => types.length === 0 || types.includes(type);
      let printed = 0;
      const print = (event: AgreementEvent, cursor?: string) => {
        if (!wanted(event)) return;
        context.stream({ value: { event, ...(cursor && { cursor }) }, text: describeEvent(context, event) });
        printed++;
      };
      if (follow) {
        // Following outlasts a service that is away. At its start that may be a wrong address.
        await client.events.list({ after, limit: 1 }, { signal });
        for await (const { event, cursor } of client.events.follow({ after, signal })) {
          print(event, cursor);
          if (printed >= most) return;
        }
        return;
      }
      let last = after;
      // Events of other types do not count: small pages of a long feed would take many requests.
      const limit = types.length > 0 ? 100 : Math.min(100, most);
      for await (const { data, pageInfo } of client.events.list({ after, limit }, { signal }).pages()) {
        for (const [index, event] of data.entries()) {
          print(event);
          // Only the end of a page has a cursor.
          if (printed >= most && index < data.length - 1) return;
        }
        last = pageInfo.nextCursor ?? last;
        if (printed >= most) break;
      }
      if (last === undefined) return;
      context.stream({ value: { cursor: last }, text: paint(terminal, 'dim', `cursor ${plain(last)}`) });
    });
}

export function describeEvent({ terminal }: Pick<Context, 'terminal'>, event: AgreementEvent): string {
  const time = paint(terminal, 'dim', plain(event.createdAt));
  const { agreementName, agreementId } = event.data;
  if (event.type === 'agreement.transitioned') {
    const { fromState, toState, inputId } = event.data;
    return `${time} ${plain(`${agreementName} (${agreementId}): ${fromState || 'nothing'} → ${toState} by ${inputId}`)}`;
  }
  const { recipient, notification } = event.data;
  return `${time} ${plain(`${agreementName} (${agreementId}): to ${recipient}: ${notification.subject}`)}`;
}
