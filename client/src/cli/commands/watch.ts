import type { Command } from 'commander';
import { pause } from '../../http/retry.ts';
import type { InputRecord } from '../../types.ts';
import type { Context } from '../context.ts';
import { type ChainChoice, readChain, takeRecord } from '../recordReference.ts';
import { paint, plain } from '../terminal.ts';
import { writeExamples } from '../writeExamples.ts';

const pollMs = 1_000;

export function addWatch(program: Command, context: Context): void {
  const { terminal } = context;
  takeRecord(program.command('watch'))
    .description('print what happens to an agreement as it happens, until Ctrl-C')
    .addHelpText('after', writeExamples('watch agr_…'))
    .action(async (id: string, options: ChainChoice) => {
      const client = context.client();
      const signal = terminal.stopped;
      const record = await client.agreements.get(id, { signal, ...readChain(options) });
      const text = `${paint(terminal, 'bold', plain(record.displayName))} is in ${record.state ?? record.status}`;
      context.stream({ value: record, text });
      const seen = new Map<string, string>();
      for (let first = true; !signal.aborted; first = false) {
        const inputs: InputRecord[] = [];
        const query = { limit: 100, sort: { updatedAt: 'desc' } } as const;
        for await (const input of client.agreements.listInputs(record.id, query, { signal })) {
          // The rest is unchanged since the last time.
          if (seen.get(input.id) === input.status) break;
          inputs.push(input);
        }
        for (const input of inputs.toReversed()) {
          seen.set(input.id, input.status);
          if (!first) context.stream({ value: input, text: describe(context, input) });
        }
        await pause(pollMs, signal).catch(() => undefined);
      }
    });
}

function describe({ terminal }: Context, input: InputRecord): string {
  const colour = input.status === 'MINED' ? 'green' : input.status === 'FAILED' ? 'red' : 'yellow';
  const time = new Date(input.updatedAt).toTimeString().slice(0, 8);
  const way = input.toState ? `  ${input.fromState ?? ''} → ${input.toState}` : '';
  const why = input.error ? `  ${input.error.message}` : '';
  return `${time} ${paint(terminal, colour, input.status)} ${plain(`${input.inputId}${way}${why}`)}`;
}
