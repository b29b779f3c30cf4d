import type { Command } from 'commander';
import { endLinksOfKey, listLinksOfKey } from '../../records/sharing/linksOfKey.ts';
import { answerRows } from './answer.ts';
import type { ProgramContext } from './programContext.ts';

export function addLinks(program: Command, { withDatabase }: ProgramContext): void {
  const links = program
    .command('links')
    .description('signing links, which stay in force when the key that created them is revoked');
  links
    .command('list')
    .description('show the active links that were created with a key')
    .requiredOption('--key <key>', 'id of the key')
    .action(({ key }: { key: string }) =>
      withDatabase(async (database) => answerRows(await listLinksOfKey(database, key), 'active link')),
    );
  links
    .command('revoke')
    .description('revoke the active links that were created with a key, permanently')
    .requiredOption('--key <key>', 'id of the key')
    .action(({ key }: { key: string }) =>
      withDatabase(async (database) => {
        const ended = await endLinksOfKey(database, key);
        return { value: ended, text: `Revoked ${ended.length} links of ${key}.` };
      }),
    );
}
