import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { createPublicClient, http } from 'viem';
import { z } from 'zod';
import { createDatabase } from '../../../../src/platform/database/database.ts';
import { joinedParts, wholeBody } from '../../../../src/records/events/eventParts.ts';
import type { Rule } from '../../../../src/records/rules/notificationTemplate.ts';
import { createRuleRunner, type RuleRunner } from '../../../../src/worker/notifier/ruleRunner.ts';
import type { ChainBlock, ChainEvent } from '../../projector/support/chain.ts';
import type { Lamp } from '../../projector/support/lamp.ts';
import { alice, createScene, deployment } from '../../projector/support/scene.ts';
import { chainId, type Fixture, silent } from '../../projector/support/setup.ts';

const dataShape = z.looseObject({
  ruleId: z.string(),
  recipient: z.string(),
  notification: z.looseObject({ subject: z.string(), body: z.string() }),
  variables: z.record(z.string(), z.unknown()),
  transition: z.looseObject({ fromState: z.string(), toState: z.string(), inputId: z.string() }).optional(),
});
const envelopeShape = z.looseObject({ id: z.string(), data: dataShape });

export type ToldNotification = z.output<typeof envelopeShape>;
export type StoredMail = { address: string | null; status: string; subject: string; body: string };

export const holder = { variableKey: 'holder', walletAddress: alice, email: 'alice@mail.example' };

/** A rule whose body shows which transition fired it. */
export function ruleOf(
  changes: Partial<Rule> = {},
  channel: 'external_webhook' | 'email' = 'external_webhook',
): Rule {
  return {
    id: 'rule',
    name: 'A rule',
    trigger: { type: 'onTransition', inputs: ['toggle'] },
    recipients: ['holder'],
    notification: {
      channel,
      subject: `\${agreementName}`,
      body: `\${fromState}>\${toState} \${variables.remark}`,
    },
    ...changes,
  };
}

/** A chain whose lamp has rules, and functions that read what they sent. */
export async function createRuleScene(
  fixture: Fixture,
  {
    rules,
    confirmations = 1,
    lamp,
    ...options
  }: { rules: readonly Rule[]; confirmations?: number; lamp?: Lamp; keptDays?: number },
) {
  const scene = await createScene(fixture, { confirmations, ...options });
  const { database } = fixture;
  const { recordId } = await scene.draft(lamp ? { lamp } : {});
  await database.execute(sql`
    update service.records set notification_template = ${JSON.stringify({ rules })},
      participants = ${JSON.stringify([holder])}::json, observers = '["eve@mail.example"]'
    where id = ${recordId}`);
  const query = async <Row extends Record<string, unknown>>(statement: SQL) =>
    (await database.execute<Row>(statement)).rows;
  const closings: (() => Promise<unknown>)[] = [];

  return {
    ...scene,
    recordId,
    /** Mines and folds one block with this timestamp and these events. */
    async mineAt(timestamp: number, ...events: ChainEvent[]): Promise<ChainBlock> {
      const added = scene.add(...events);
      added.timestamp = timestamp;
      await scene.show();
      await scene.fold();
      return added;
    },
    async deployAt(timestamp: number): Promise<void> {
      await this.mineAt(timestamp, deployment());
    },
    /** The notifications released to the feed, in feed order. */
    async told(): Promise<ToldNotification[]> {
      const rows = await query<{ body: string }>(sql`
        select ${sql.raw(wholeBody)} as body from service.events event ${sql.raw(joinedParts)}
        where type = 'agreement.notification.triggered' and state = 'released' order by position`);
      return rows.map(({ body }) => envelopeShape.parse(JSON.parse(body)));
    },
    mails: () =>
      query<StoredMail>(
        sql`select address, status, subject, body from service.mails order by created_at, firing_id`,
      ),
    firings: () =>
      query<{ id: string; state: string }>(
        sql`select id, state from service.rule_firings order by created_at, id`,
      ),
    query,
    /** Starts a process that fires temporal rules, with its own connections. */
    async startRunner(): Promise<RuleRunner> {
      const { url } = fixture;
      const handle = createDatabase({ url, applicationName: 'rules', maxConnections: 3, logger: silent });
      closings.push(handle.close);
      const runner = createRuleRunner({
        pool: handle.pool,
        databaseUrl: url,
        chains: [{ chainId, confirmations }],
        // Nothing listens there, so temporal rules depend only on the time of the folded blocks.
        clients: new Map([[chainId, createPublicClient({ transport: http('http://127.0.0.1:9') })]]),
        idleMs: Number.MAX_SAFE_INTEGER,
        logger: silent,
        pollIntervalMs: 50,
      });
      closings.push(() => runner.close());
      await runner.ready;
      return runner;
    },
    /** Whether everything due by the folded blocks has fired or waits for confirmations. */
    async settled(): Promise<boolean> {
      const rows = await query(sql`
        select 1 from service.rule_schedules s join service.projections p using (chain_id)
        where due_ms <= extract(epoch from head_timestamp) * 1000
          and since_block <= head_number - ${confirmations - 1}`);
      return rows.length === 0;
    },
    async close(): Promise<void> {
      for (const close of closings.splice(0).reverse()) await close();
    },
  };
}
export type RuleScene = Awaited<ReturnType<typeof createRuleScene>>;
