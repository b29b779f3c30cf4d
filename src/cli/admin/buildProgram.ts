import { Argument, Command } from 'commander';
import { entitlementModes } from '../../platform/database/tables/access.ts';
import {
  createKey,
  disableKey,
  enableKey,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../records/principals/apiKeys.ts';
import { listEntitlements, setEntitlement } from '../../records/principals/entitlements.ts';
import { createPrincipal, listPrincipals } from '../../records/principals/principals.ts';
import {
  type EntitlementMode,
  type GrantableScope,
  grantableScopes,
} from '../../records/principals/scopes.ts';
import { endLinksOfKey } from '../../records/sharing/linksOfKey.ts';
import { answerKey, answerRows } from './answer.ts';
import { addLinks } from './linkCommands.ts';
import type { ProgramContext } from './programContext.ts';
import { addQuarantine } from './quarantineCommands.ts';
import { addQuotas } from './quotaCommands.ts';
import { addRetention } from './retentionCommand.ts';
import { describeTrace } from './trace/describeTrace.ts';
import { readTrace } from './trace/readTrace.ts';
import { addListen, addWebhooks } from './webhookCommands.ts';

const examples = `
Examples:
  npm run -s admin -- principals create acme
  npm run -s admin -- entitlements set acme '*' free_allowlist
  npm run -s admin -- keys create acme --label backend
  npm run -s admin -- keys list --principal acme --json
  npm run -s admin -- keys rotate key_0123456789abcdef0123456789abcdef
  npm run -s admin -- listen --principal acme
  npm run -s admin -- trace agr_0123456789abcdef0123456789abcdef

The database is that of DATABASE_URL (also from .env), or else that of a running npm run dev.`;

/** The command line: parses arguments, calls the access functions and prints their results. */
export function buildProgram(context: ProgramContext): Command {
  const program = new Command('admin')
    .description(
      'Manages who may use the service: principals, what they may do, their API keys and webhooks.',
    )
    .option('--json', 'print only the answer, as one JSON value')
    .showHelpAfterError('(--help shows how it is used)')
    .exitOverride()
    .addHelpText('after', examples);
  addPrincipals(program, context);
  addEntitlements(program, context);
  addKeys(program, context);
  addLinks(program, context);
  addWebhooks(program, context);
  addListen(program, context);
  addQuarantine(program, context);
  addQuotas(program, context);
  addRetention(program, context);
  addTrace(program, context);
  return program;
}

function addPrincipals(program: Command, { withDatabase }: ProgramContext): void {
  const principals = program.command('principals').description('owners of agreements, keys and webhooks');
  principals
    .command('create')
    .description('create a principal; it can do nothing until it has entitlements and a key')
    .argument('<name>', 'a unique name of your choice')
    .action((name: string) =>
      withDatabase(async (database) => {
        const principal = await createPrincipal(database, name);
        return { value: principal, text: `Created ${principal.name} (${principal.id}).` };
      }),
    );
  principals
    .command('list')
    .description('show all principals, oldest first')
    .action(() => withDatabase(async (database) => answerRows(await listPrincipals(database), 'principal')));
}

function addEntitlements(program: Command, { withDatabase }: ProgramContext): void {
  const entitlements = program.command('entitlements').description('what a principal may do');
  entitlements
    .command('set')
    .description(
      'set the mode of one scope; of several entitlements that match, the most specific scope counts',
    )
    .argument('<principal>', 'name or id')
    .addArgument(new Argument('<scope>', 'operations that the entitlement covers').choices(grantableScopes))
    .addArgument(
      new Argument('<mode>', 'free_allowlist allows, paid_required answers 402, blocked answers 403').choices(
        entitlementModes,
      ),
    )
    .action((principal: string, scope: GrantableScope, mode: EntitlementMode) =>
      withDatabase(async (database) => {
        const set = await setEntitlement(database, { principal, scope, mode });
        return { value: set, text: `${set.principalName}: ${set.scope} is ${set.mode}.` };
      }),
    );
  entitlements
    .command('list')
    .description('show the entitlements of all principals, or of one')
    .option('--principal <principal>', 'name or id')
    .action((options: { principal?: string }) =>
      withDatabase(async (database) => answerRows(await listEntitlements(database, options), 'entitlement')),
    );
}

function addKeys(program: Command, { withDatabase }: ProgramContext): void {
  const keys = program.command('keys').description('API keys; a key is shown only once, when it is created');
  keys
    .command('create')
    .description('create a key')
    .argument('<principal>', 'name or id')
    .option('--label <label>', 'what the key is for')
    .action((principal: string, { label }: { label?: string }) =>
      withDatabase(async (database, { environment }) =>
        answerKey(await createKey(database, { principal, environment, label })),
      ),
    );
  keys
    .command('list')
    .description('show the keys of all principals, or of one')
    .option('--principal <principal>', 'name or id')
    .action((options: { principal?: string }) =>
      withDatabase(async (database) => answerRows(await listKeys(database, options), 'key')),
    );
  keys
    .command('revoke')
    .description('revoke a key permanently')
    .argument('<key>', 'id of the key')
    .option('--with-links', 'also revoke the signing links that were created with it')
    .action((keyId: string, { withLinks = false }: { withLinks?: boolean }) =>
      withDatabase(async (database) => {
        const key = await revokeKey(database, keyId);
        const done = `Revoked ${key.id} of ${key.principalName}`;
        if (!withLinks) return { value: key, text: `${done}.` };
        const links = await endLinksOfKey(database, keyId);
        return { value: { ...key, links }, text: `${done}, and ${links.length} links.` };
      }),
    );
  const changes = [
    { name: 'disable', purpose: 'suspend a key until it is enabled', change: disableKey, done: 'Disabled' },
    { name: 'enable', purpose: 'make a disabled key active again', change: enableKey, done: 'Enabled' },
  ];
  for (const { name, purpose, change, done } of changes)
    keys
      .command(name)
      .description(purpose)
      .argument('<key>', 'id of the key')
      .action((keyId: string) =>
        withDatabase(async (database) => {
          const key = await change(database, keyId);
          return { value: key, text: `${done} ${key.id} of ${key.principalName}.` };
        }),
      );
  keys
    .command('rotate')
    .description('revoke a key, and create another with the same principal and label')
    .argument('<key>', 'id of the key')
    .action((keyId: string) =>
      withDatabase(async (database, { environment }) =>
        answerKey(await rotateKey(database, { keyId, environment })),
      ),
    );
}

function addTrace(program: Command, { withDatabase }: ProgramContext): void {
  program
    .command('trace')
    .description(
      'show everything about one id: who asked, what was signed and sent, what the chain shows, who was notified',
    )
    .argument(
      '<id>',
      'id of a record, input, transaction, event or delivery; a transaction hash; or the digest of a permit',
    )
    .action((id: string) =>
      withDatabase(async (database) => {
        const trace = await readTrace(database, id);
        return { value: trace, text: describeTrace(trace) };
      }),
    );
}
