import type { FaultPoint } from '../../../../src/platform/supervision/faultPoint.ts';
import type { Rule } from '../../../../src/records/rules/notificationTemplate.ts';
import { startMailServer } from '../../../support/mailServer.ts';
import { waitUntil } from '../../../support/waitUntil.ts';
import { deployment, input, toggle } from '../../projector/support/scene.ts';
import { createFixture } from '../../projector/support/setup.ts';
import { createRuleScene } from './ruleScene.ts';
import { startWorkerProcess, type WorkerProcess } from './workerProcess.ts';

/**
 * Later than any machine's clock and earlier than any deadline, so real time alone never makes a rule due.
 */
const genesis = 3_000_000_000;
/** The time between two blocks. */
const blockSeconds = 3 * 3_600;

/**
 * A separate database with a lamp that has these rules, and a mail server. Only the started workers fold,
 * fire and send. The caller closes it.
 */
export async function createCrashScene(
  rules: readonly Rule[],
  { onTaken }: { onTaken?: () => Promise<unknown> } = {},
) {
  const fixture = await createFixture();
  await fixture.index.deploy();
  const server = await startMailServer(onTaken ? { onTaken } : {});
  const scene = await createRuleScene(fixture, { rules });
  const workers: WorkerProcess[] = [];
  const show = async () => {
    for (const block of scene.chain()) block.timestamp = genesis + block.number * blockSeconds;
    await scene.show();
  };
  const isAtRest = async () => {
    const { rowCount } = await fixture.pool.query(
      `select 1 from service.projections where head_hash = $1
         and not exists (select 1 from service.rule_firings where state <> 'released')
         and not exists (select 1 from service.mails where status <> 'sent')
         and not exists (select 1 from graphile_worker._private_jobs)`,
      [scene.chain().at(-1)?.hash],
    );
    return rowCount === 1 && (await scene.settled());
  };

  return {
    server,
    pool: fixture.pool,
    told: scene.told,
    mails: scene.mails,
    /** Shows a block with the deployment. */
    async deploy(): Promise<void> {
      scene.add(deployment());
      await show();
    },
    /** Shows this number of further blocks, each with one toggle. */
    async toggle(count = 1): Promise<void> {
      for (let at = 0; at < count; at++) scene.add(input(toggle(String(scene.chain().length))));
      await show();
    },
    /** Shows an empty block. */
    async pass(): Promise<void> {
      scene.add();
      await show();
    },
    start(fault?: `${FaultPoint}:${number}`): WorkerProcess {
      const { url: databaseUrl } = fixture;
      const { smtpUrl } = server;
      const worker = startWorkerProcess({ databaseUrl, smtpUrl, ...(fault && { fault }) });
      workers.push(worker);
      return worker;
    },
    /** The number of firings of each rule for each recipient, by `<rule> <recipient>`, in any state. */
    async countFirings(): Promise<Record<string, number>> {
      const { rows } = await fixture.pool.query<{ pair: string; count: number }>(`
        select rule_id || ' ' || recipient as pair, count(*)::int as count from service.rule_firings
        group by pair order by pair`);
      return Object.fromEntries(rows.map(({ pair, count }) => [pair, count]));
    },
    /** The ids of all mails that the server took, including repeats. */
    takenIds: () => server.received.map(({ headers }) => String(headers.get('message-id'))),
    /**
     * Call it while no worker runs: the next worker then takes over from the dead ones at once, without
     * waiting for their leases.
     */
    async expireLeases(): Promise<void> {
      await fixture.pool.query(`delete from service.worker_leases`);
      await fixture.pool.query(
        `update graphile_worker._private_jobs set locked_at = now() - interval '1 hour' where locked_at is not null`,
      );
    },
    /** Whether everything shown is folded, everything due has fired, and no mail waits. */
    isAtRest,
    awaitRest: () => waitUntil('everything is folded, fired and sent', isAtRest),
    async close(): Promise<void> {
      await Promise.all(workers.map((worker) => worker.kill()));
      await scene.close();
      await server.close();
      await fixture.close();
    },
  };
}
export type CrashScene = Awaited<ReturnType<typeof createCrashScene>>;
