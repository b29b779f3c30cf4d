import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeInputPayload } from '../../src/protocol/index.ts';
import type { LongRunParts } from '../support/longRun.ts';
import { withClosings } from '../support/withClosings.ts';
import type { Attack } from './attacks/attack.ts';
import { attacks } from './attacks/attacks.ts';
import { compareTimes, type Factor, listDelays, type Round } from './support/compareTimes.ts';
import { createNeighbour } from './support/neighbour.ts';
import { sendRequest } from './support/sendRequest.ts';
import { startTenants } from './support/startTenants.ts';
import { deployAs, submitDirectly } from './support/worstWorld.ts';

export type AttackReport = {
  name: string;
  /** The number of answers by status, 0 for none; `mined` counts inputs sent directly to the contract. */
  counts: Record<string, number>;
  /** Milliseconds of processor time in the longest turn of the event loops of API and worker. */
  turnMs: number;
  workerTurnMs: number;
  peakBytes: number;
  factors: Factor[];
  failures: string[];
};

/** The most milliseconds of processor time that an attack may take in one turn of an event loop. */
export const mostTurnMs = 100;
const mostBytes = 600 * 1024 * 1024;
/** Only a slow-down in each round counts. */
const mostRounds = 3;
const attackMs = 4_000;

/** The service's clock is the newest block's time, which may be this late. */
const chainLagMs = 5_000;
/** Only the hostile principal has rules. Those that are firing are left alone. */
const makeRulesDue = `
  update service.rule_schedules set starts_ms = $1::bigint - next_number * interval_ms
  where (record_id, rule_id, span) in (
    select record_id, rule_id, span from service.rule_schedules where until_ms is null for update skip locked)`;

/** Fills the feed of a record's principal as after some weeks: 2,000 events, of which fifty are as large as events may be; 56 MB. */
const fillFeed = `
  with feed as (
    insert into service.event_feeds (principal_id, last_position)
    select principal_id, 2000 from service.records where id = $1
    on conflict (principal_id) do update set last_position = event_feeds.last_position + 2000
    returning principal_id, last_position)
  insert into service.events (id, principal_id, type, body, state, position)
  select 'evt_weeks' || at, principal_id, 'webhook.test', json_build_object('filling', repeat(md5(at::text), case when at % 40 = 1 then 30000 else 128 end)), 'released',
    last_position - 2000 + at
  from feed cross join generate_series(1, 2000) as at`;

/**
 * Measures a neighbour during each attack, in more rounds if it is slow, and returns each attack's effects.
 */
export function runAttacks(run: LongRunParts & { only?: string | undefined }): Promise<AttackReport[]> {
  return withClosings(async (onClose) => {
    const tenants = await startTenants(run, onClose);
    const { stack, api, worker, apiKey, neighbourKey, world, linkSecret, webhookId, limits } = tenants;
    const { baseUrl } = api;
    const largestPayload = encodeInputPayload(world.agreement, 'go', world.values);
    const account = privateKeyToAccount(generatePrivateKey());
    const neighbour = await createNeighbour(stack, { baseUrl, apiKey: neighbourKey });
    onClose(neighbour.close);
    await stack.pool.query(fillFeed, [world.record.id]);
    await neighbour.live(2_000);

    const play = async (attack: Attack): Promise<AttackReport> => {
      const counts: Record<string, number> = {};
      const rounds: Round[] = [];
      let [turnMs, workerTurnMs, peakBytes] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
      const isFine = () =>
        rounds.length > 0 &&
        turnMs < mostTurnMs &&
        workerTurnMs < mostTurnMs &&
        listDelays(compareTimes(rounds)).length === 0;
      while (rounds.length < mostRounds && !isFine()) {
        const quiet = await neighbour.live(attackMs / 2);
        await api.read();
        await worker.read();
        let isOn = true;
        const attacking = attack.run({
          ...{ baseUrl, apiKey, linkSecret, webhookId, chainId: stack.chainId, bodyBytes: limits.bodyBytes },
          ...{ recordId: world.record.id, documentId: world.record.documentId },
          largestPayload,
          deploy: (deployment) => deployAs(stack, { client: world.client, baseUrl, account, ...deployment }),
          makeRulesDue: () => stack.pool.query(makeRulesDue, [Date.now() - chainLagMs]),
          async submit(payload) {
            await submitDirectly(stack, world.record.address, payload);
            counts.mined = (counts.mined ?? 0) + 1;
          },
          isOn: () => isOn,
          async send(request) {
            const { status, text } = await sendRequest({ baseUrl, apiKey }, request).catch(() => ({
              status: 0,
              text: '',
            }));
            counts[status] = (counts[status] ?? 0) + 1;
            return text;
          },
        });
        const disturbed = await neighbour.live(attackMs);
        isOn = false;
        await attacking;
        const ofApi = await api.read();
        const ofWorker = await worker.read();
        const slowness = await api.findSlowness();
        // Only an effect that occurs in each round comes from the attack.
        turnMs = Math.min(turnMs, ofApi.longestMs / slowness);
        workerTurnMs = Math.min(workerTurnMs, ofWorker.longestMs);
        peakBytes = Math.max(peakBytes, ofApi.recentPeakBytes);
        rounds.push({ quiet, disturbed, slowness });
      }
      const failures = rounds.flatMap(({ disturbed }) => disturbed.failures);
      return {
        ...{ name: attack.name, counts, turnMs, workerTurnMs, peakBytes, failures },
        factors: compareTimes(rounds),
      };
    };

    const reports: AttackReport[] = [];
    for (const attack of attacks.filter(({ name }) => name.includes(run.only ?? ''))) {
      const report = await play(attack);
      run.onProgress(describeAttack(report));
      run.onLine(JSON.stringify(report));
      reports.push(report);
    }
    return reports;
  });
}

export function describeAttack(report: AttackReport): string {
  const { name, counts, turnMs, workerTurnMs, peakBytes, factors } = report;
  const slower = factors.map(({ kind, factor }) => `${kind} ${factor.toFixed(1)}`).join(', ');
  const memory = Math.round(peakBytes / 1024 / 1024);
  return `${name}: ${JSON.stringify(counts)}; event loop ${turnMs.toFixed(0)} and ${workerTurnMs.toFixed(0)} ms; ${memory} MiB; a neighbour's ${slower}`;
}

export function listAttackFlaws(reports: readonly AttackReport[]): string[] {
  return reports.flatMap(({ name, counts, turnMs, workerTurnMs, peakBytes, factors, failures }) =>
    [
      ...(counts['500'] ? [`${counts['500']} times 500`] : []),
      ...(turnMs > mostTurnMs ? [`the API computed for ${turnMs.toFixed(0)} ms at a time`] : []),
      ...(workerTurnMs > mostTurnMs
        ? [`the worker computed for ${workerTurnMs.toFixed(0)} ms at a time`]
        : []),
      ...(peakBytes > mostBytes ? [`the API needed ${Math.round(peakBytes / 1024 / 1024)} MiB`] : []),
      ...listDelays(factors),
      ...failures.slice(0, 3).map((failure) => `a neighbour's ${failure}`),
    ].map((flaw) => `${name}: ${flaw}`),
  );
}
