import { type Command, InvalidArgumentError, Option } from 'commander';
import { and, asc, eq } from 'drizzle-orm';
import pino from 'pino';
import { readWebhookSettings } from '../../platform/config/webhookSettings.ts';
import type { Database } from '../../platform/database/database.ts';
import { principals } from '../../platform/database/tables/access.ts';
import {
  type DeliveryStatus,
  deliveryStatuses,
  webhookSubscriptions,
} from '../../platform/database/tables/webhooks.ts';
import { openCipher } from '../../platform/encryption/openCipher.ts';
import { AdministrationError } from '../../records/principals/administrationError.ts';
import { getPrincipal, listPrincipals, type Principal } from '../../records/principals/principals.ts';
import { listDeliveries } from '../../records/webhooks/listDeliveries.ts';
import { createTargetRules } from '../../records/webhooks/targetRules.ts';
import { updateSubscription } from '../../records/webhooks/updateSubscription.ts';
import { answerRows } from './answer.ts';
import { listen } from './listenCommand.ts';
import type { ProgramContext } from './programContext.ts';

const defaultPort = 4100;
const listedDeliveries = 100;

export function addWebhooks(program: Command, { withDatabase }: ProgramContext): void {
  const webhooks = program.command('webhooks').description('webhooks and their deliveries');
  webhooks
    .command('list')
    .description('show the webhooks of all principals, or of one, oldest first')
    .option('--principal <principal>', 'name or id')
    .action((options: { principal?: string }) =>
      withDatabase(async (database) => answerRows(await listAll(database, options.principal), 'webhook')),
    );
  webhooks
    .command('deliveries')
    .description(`show the last ${listedDeliveries} deliveries of a webhook, the newest first`)
    .argument('<webhook>', 'id of the webhook')
    .addOption(new Option('--status <status>', 'only those').choices(deliveryStatuses))
    .action((id: string, { status }: { status?: DeliveryStatus }) =>
      withDatabase(async (database) => {
        const { page } = await listDeliveries(database, await refer(database, id), {
          status,
          limit: listedDeliveries,
        });
        const rows = page.map((row) => ({
          id: row.id,
          eventType: row.eventType,
          eventId: row.eventId,
          status: row.status,
          attempts: row.attemptCount,
          createdAt: row.createdAt,
          error: row.error,
        }));
        return answerRows(rows, 'delivery');
      }),
    );
  webhooks
    .command('disable')
    .description('stop the deliveries of a webhook; its principal may enable it again')
    .argument('<webhook>', 'id of the webhook')
    .action((id: string) =>
      withDatabase(async (database) => {
        const webhookSettings = readWebhookSettings({});
        const services = { database, webhookSettings, targetRules: createTargetRules({ allowed: [] }) };
        const { after } = await updateSubscription(
          await refer(database, id),
          { status: 'disabled' },
          services,
        );
        const { status } = after;
        return { value: { id, status }, text: `Disabled ${id}.` };
      }),
    );
}

/** Receives webhooks during development. */
export function addListen(program: Command, { withDatabase, awaitStop, print }: ProgramContext): void {
  program
    .command('listen')
    .description(
      'create a webhook of a principal on this machine; verify and print its deliveries until Ctrl-C',
    )
    .option('--port <port>', 'port to receive them on', parsePort, defaultPort)
    .option('--principal <principal>', 'name or id; not needed if there is only one, or one named dev')
    .action(({ port, principal: name }: { port: number; principal?: string }) =>
      withDatabase(async (database, { readKeys }) => {
        const principal = await choosePrincipal(database, name);
        const logger = pino({ level: 'silent' });
        const cipher = await openCipher({ database, keys: readKeys(), logger });
        const stopped = awaitStop();
        const heard = await listen({ database, cipher, principal, port, print, stopped });
        const count = heard.events.length;
        const text = `\nReceived ${count} event${count === 1 ? '' : 's'}, and disabled ${heard.webhookId}.`;
        return { value: heard, text };
      }),
    );
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('expected a port from 1 to 65535');
}

async function choosePrincipal(database: Database, name: string | undefined): Promise<Principal> {
  if (name !== undefined) return getPrincipal(database, name);
  const all = await listPrincipals(database);
  const [only, ...others] = all;
  const chosen =
    all.find((principal) => principal.name === 'dev') ?? (others.length === 0 ? only : undefined);
  if (chosen) return chosen;
  throw new AdministrationError(
    'Name the principal with --principal: there is no principal, or more than one.',
  );
}

async function listAll(database: Database, principal: string | undefined) {
  const only = principal === undefined ? undefined : await getPrincipal(database, principal);
  return database
    .select({
      id: webhookSubscriptions.id,
      principalName: principals.name,
      url: webhookSubscriptions.url,
      status: webhookSubscriptions.status,
      failuresInRow: webhookSubscriptions.failuresInRow,
      lastSuccessAt: webhookSubscriptions.lastSuccessAt,
      lastFailureAt: webhookSubscriptions.lastFailureAt,
    })
    .from(webhookSubscriptions)
    .innerJoin(principals, eq(principals.id, webhookSubscriptions.principalId))
    .where(and(only && eq(principals.id, only.id)))
    .orderBy(asc(webhookSubscriptions.createdAt), asc(webhookSubscriptions.id));
}

async function refer(database: Database, id: string): Promise<{ id: string; principalId: string }> {
  const [found] = await database
    .select({ id: webhookSubscriptions.id, principalId: webhookSubscriptions.principalId })
    .from(webhookSubscriptions)
    .where(eq(webhookSubscriptions.id, id));
  if (!found) throw new AdministrationError(`There is no webhook with the id ${id}.`);
  return found;
}
