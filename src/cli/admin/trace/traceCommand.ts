import type { Command } from 'commander';
import type { ProgramContext } from '../programContext.ts';
import { describeTrace } from './describeTrace.ts';
import { readTrace } from './readTrace.ts';

/** Shows the current state of one thing, and how it got there. */
export function addTrace(program: Command, { withDatabase }: ProgramContext): void {
  program
    .command('trace')
    .description(
      'show all that is known of one thing: who asked, what was signed and sent, its outcome and the notifications',
    )
    .argument(
      '<id>',
      'of a record, input, transaction, event or delivery; a transaction hash; or the digest of a permit',
    )
    .action((id: string) =>
      withDatabase(async (database) => {
        const trace = await readTrace(database, id);
        return { value: trace, text: describeTrace(trace) };
      }),
    );
}
