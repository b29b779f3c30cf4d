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
      'show how many rows are older than RETENTION_DAYS, which the workers remove; removes nothing',
    )
    .option('--days <days>', 'as if RETENTION_DAYS were this')
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
