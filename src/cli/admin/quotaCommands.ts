import { Argument, type Command } from 'commander';
import { AdministrationError } from '../../records/principals/administrationError.ts';
import { listQuotas, type Quota, quotaNames, setQuota } from '../../records/quotas/quotas.ts';
import { answerRows } from './answer.ts';
import type { ProgramContext } from './programContext.ts';

export function addQuotas(program: Command, { withDatabase }: ProgramContext): void {
  const quotas = program.command('quotas').description('quotas of principals, and their use');
  quotas
    .command('list')
    .description('show the quotas of all principals, or of one, and their use')
    .option('--principal <principal>', 'name or id')
    .action((options: { principal?: string }) =>
      withDatabase(async (database) =>
        answerRows(await listQuotas(database, options.principal), 'principal'),
      ),
    );
  quotas
    .command('set')
    .description('set a quota of a principal, or restore the default')
    .argument('<principal>', 'name or id')
    .addArgument(new Argument('<quota>', 'which').choices(quotaNames))
    .argument('<value>', 'a whole number, or default')
    .action((principal: string, quota: Quota, text: string) =>
      withDatabase(async (database) => {
        const value = text === 'default' ? null : parseCount(text);
        const set = await setQuota(database, { principal, quota, value });
        return { value: set, text: `${set.principalName}: ${set.quota} is ${set.limit}.` };
      }),
    );
}

/** @throws AdministrationError for anything but a whole number. */
function parseCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new AdministrationError('A quota is a whole number from 0, or default.');
}
