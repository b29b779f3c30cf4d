import type { Command } from 'commander';
import type { AgreementsClient } from '../../agreementsClient.ts';
import { pause, planRetry } from '../../http/retry.ts';
import type { InputRecord } from '../../types.ts';
import type { Context } from '../context.ts';
import { type ChainChoice, readChain, takeRecord } from '../recordReference.ts';
import { paint, plain } from '../terminal.ts';
import { writeExamples } from '../writeExamples.ts';

const pollMs = 1_000;
/** A change bears the time at which its transaction in the service's database began. It becomes visible at most this much later. */
const longestWriteMs = 60_000;

export function addWatch(program: Command, context: Context): void {
  const { terminal } = context;
  takeRecord(program.command('watch'))
    .description('print what happens to an agreement as it happens, until Ctrl-C')
    .addHelpText('after', writeExamples('watch agr_…'))
    .action(async (id: string, options: ChainChoice) => {
      const client = context.client();
      const signal = terminal.stopped;
      const record = await client.agreements.get(id, { signal, ...readChain(options) });
      const text = `${paint(terminal, 'bold', plain(record.displayName))} is in ${plain(record.state ?? record.status)}`;
      const seen: Seen = { statuses: new Map(), newestMs: 0 };
      const readChanges = async () => {
        const inputs = await readChanged(client, { agreementId: record.id, seen, signal });
        for (const { id: inputId, status, updatedAt } of inputs) {
          seen.statuses.set(inputId, status);
          seen.newestMs = Math.max(seen.newestMs, Date.parse(updatedAt));
        }
        return inputs;
      };
      await readChanges();
      context.stream({ value: record, text });
      for (let failures = 0; !signal.aborted; ) {
        let restMs: number | undefined = pollMs;
        try {
          for (const input of await readChanges())
            context.stream({ value: input, text: describe(context, input) });
          failures = 0;
        } catch (error) {
          if (signal.aborted) return;
          // A service that is away for a while may come back.
          restMs = planRetry(error, failures++, Number.POSITIVE_INFINITY);
          if (restMs === undefined) throw error;
        }
        await pause(restMs, signal).catch(() => undefined);
      }
    });
}

/** The status of each input by id, and the time of the newest change that was seen. */
type Seen = { readonly statuses: Map<string, string>; newestMs: number };

/** The inputs with another status than when they were last seen, the oldest change first. */
async function readChanged(
  client: AgreementsClient,
  { agreementId, seen, signal }: { agreementId: string; seen: Seen; signal: AbortSignal },
): Promise<InputRecord[]> {
  const inputs: InputRecord[] = [];
  const query = { limit: 100, sort: { updatedAt: 'desc' } } as const;
  for await (const input of client.agreements.listInputs(agreementId, query, { signal })) {
    const isKnown = seen.statuses.get(input.id) === input.status;
    // The rest is unchanged since the last time.
    if (isKnown && Date.parse(input.updatedAt) < seen.newestMs - longestWriteMs) break;
    if (!isKnown) inputs.push(input);
  }
  return inputs.reverse();
}

function describe({ terminal }: Context, input: InputRecord): string {
  const colour = input.status === 'MINED' ? 'green' : input.status === 'FAILED' ? 'red' : 'yellow';
  const time = new Date(input.updatedAt).toTimeString().slice(0, 8);
  const way = input.toState ? `  ${input.fromState ?? ''} → ${input.toState}` : '';
  const why = input.error ? `  ${input.error.message}` : '';
  return `${time} ${paint(terminal, colour, plain(input.status))} ${plain(`${input.inputId}${way}${why}`)}`;
}
