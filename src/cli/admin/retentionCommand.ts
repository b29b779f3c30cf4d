import type { Command } from 'commander';
import { readRetentionSettings } from '../../platform/config/workerSettings.ts';
import { countOldRows } from '../../records/retention/oldRows.ts';
import { answerFields } from './answer.ts';
import type { ProgramContext } from './programContext.ts';

const dayMs = 86_400_000;

/** Shows what the workers would remove. */
export function addRetention(program: Command, { withPool }: ProgramContext): void {
  program
    .command('retention')
    .description(
      'count the rows that are older than RETENTION_DAYS; the workers remove them, this command removes nothing',
    )
    .option('--days <days>', 'count with this number of days instead of RETENTION_DAYS')
    .action(({ days }: { days?: string }) =>
      withPool(async (pool, env) => {
        const { keptDays } = readRetentionSettings(days === undefined ? env : { RETENTION_DAYS: days });
        if (keptDays === null)
          return { value: { keptDays }, text: 'Everything is kept: RETENTION_DAYS is 0.' };
        const before = new Date(Date.now() - keptDays * dayMs);
        return answerFields({ keptDays, before, ...(await countOldRows(pool, before)) });
      }),
    );
}
