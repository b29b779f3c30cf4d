import type { Command } from 'commander';
import {
  getQuarantined,
  listQuarantine,
  releaseRecord,
} from '../../records/quarantine/quarantinedRecords.ts';
import { answerFields, answerRows } from './answer.ts';
import type { ProgramContext } from './programContext.ts';

export function addQuarantine(program: Command, { withDatabase }: ProgramContext): void {
  const quarantine = program
    .command('quarantine')
    .description('records that cannot be folded; all other records go on');
  quarantine
    .command('list')
    .description('show all, with the last error and the time of the next try')
    .action(() =>
      withDatabase(async (database) => answerRows(await listQuarantine(database), 'record in quarantine')),
    );
  quarantine
    .command('show')
    .description('show one, and the state that callers read meanwhile')
    .argument('<record>', 'id of the record')
    .action((id: string) =>
      withDatabase(async (database) => answerFields(await getQuarantined(database, id))),
    );
  quarantine
    .command('release')
    .description('retry one at once; it leaves the quarantine if the retry succeeds')
    .argument('<record>', 'id of the record')
    .action((id: string) =>
      withDatabase(async (database) => {
        const released = await releaseRecord(database, id);
        return { value: released, text: `${released.recordId} is tried again now.` };
      }),
    );
}
