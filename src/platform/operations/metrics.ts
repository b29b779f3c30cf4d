import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ReadOutcome } from '../database/reads.ts';
import type { DeliveryStatus } from '../database/tables/webhooks.ts';
import type { EndpointFacts } from '../nodes/endpoint.ts';
import { measureLag, measureOutbox } from './describeReadiness.ts';
import type { ChainLag } from './lagWatch.ts';
import type { EventFacts } from './readEventFacts.ts';
import type { ChainFacts } from './readFacts.ts';
import type { Readiness } from './readiness.ts';

/** One answered request. `route` is its documented path, so that there are only as many labels as routes. */
export type ServedRequest = {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
};

/** A reorg that was folded into the records. */
export type Reorganisation = {
  readonly chainId: number;
  /** Whether it reached blocks that had their confirmations. */
  readonly isConfirmed: boolean;
  /** How many events of its blocks had already been released. */
  readonly releasedEvents: number;
};

export type Metrics = {
  noteReorganisation(reorganisation: Reorganisation): void;
  noteRequest(request: ServedRequest): void;
  noteReadiness(readiness: Readiness): void;
  noteEndpoints(endpoints: readonly EndpointFacts[]): void;
  noteLags(lags: readonly ChainLag[]): void;
  /** An attempt of a delivery, and the delivery's status after it. */
  noteAttempt(attempt: { readonly status: string; readonly seconds: number }): void;
  noteEvents(facts: EventFacts): void;
  /** Firings of rules of time, one for each recipient. */
  noteTemporalFirings(count: number): void;
  /** Webhooks that rules did not cause because a quota was used up. */
  noteOmitted(count: number): void;
  /** An attempt that was not sent because its webhook's secret cannot be read. */
  noteUnsigned(): void;
  /** The outcome of one attempt to send a rule's mail. */
  noteMail(outcome: MailOutcome): void;
  /** Rows removed because of their age, by kind. */
  noteRemoved(rows: Readonly<Record<string, number>>): void;
  /** A write refused because a quota of its principal was used up. */
  noteQuotaRefusal(quota: string): void;
  /** A tool call by an agent; `tool` is an existing tool or `unknown`. */
  noteToolCall(call: { readonly tool: string; readonly outcome: string; readonly seconds: number }): void;
  /** An input admitted or refused, and by what; or an admitted input that reverted, and the explanation. */
  noteAdmission(admission: CountedAdmission): void;
  /** Who answered a read, if there is a replica. */
  noteRead(outcome: ReadOutcome): void;
  /** All metrics in the text format of Prometheus. */
  print(): Promise<string>;
  readonly contentType: string;
};

/**
 * The outcome of an input. For a revert, the later event that explains it: another way to the contract,
 * another input accepted at the same moment, an earlier one that failed, a reorg, a failed call of the
 * agreement. `none` is a false admission.
 */
export type CountedAdmission = {
  readonly by: 'local' | 'node';
  readonly outcome: 'accepted' | 'refused' | 'reverted';
  readonly race?: AdmissionRace;
};
export type AdmissionRace = 'foreign' | 'concurrent' | 'predecessor' | 'reorganisation' | 'external' | 'none';

/** The outcome of an attempt to send a mail. */
export type MailOutcome = 'sent' | 'skipped' | 'failed' | 'retried';

/** From a cached read to a deployment that waits for the chain. */
const secondsBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];

const reaches = { confirmed: true, unconfirmed: true };
const mailOutcomes: Record<MailOutcome, true> = { sent: true, skipped: true, failed: true, retried: true };
const readOutcomes: Record<ReadOutcome, true> = {
  replica: true,
  late: true,
  cancelled: true,
  refused: true,
  away: true,
};
const races: Record<AdmissionRace, true> = {
  foreign: true,
  concurrent: true,
  predecessor: true,
  reorganisation: true,
  external: true,
  none: true,
};
const attemptStatuses: Record<Exclude<DeliveryStatus, 'pending'>, true> = {
  retry_pending: true,
  succeeded: true,
  failed: true,
};

/**
 * The metrics of one process: the process itself, its requests, and the database's view of the chains.
 * Counters of rare events start at 0: for Prometheus a series that begins with its first count has not
 * increased.
 */
export function createMetrics({ chains }: { chains: readonly { readonly chainId: number }[] }): Metrics {
  const registers = [new Registry()];
  const [registry = new Registry()] = registers;
  collectDefaultMetrics({ register: registry });
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `agreements_${name}_total`, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Histogram({ name, help, labelNames, buckets: secondsBuckets, registers });
  const requests = histogram(
    'http_request_duration_seconds',
    'HTTP requests by route and status, with the time until the response started.',
    ['method', 'route', 'status'],
  );
  const reorganisations = counter(
    'reorganisations',
    'Reorganisations by whether they removed confirmed blocks.',
    ['chain', 'reach'],
  );
  const temporalFirings = counter(
    'temporal_firings',
    'Firings of temporal notification rules. Each recipient counts once.',
    [],
  );
  const omitted = counter(
    'omitted_notifications',
    'Webhooks that notification rules did not cause because a daily quota was used up.',
    [],
  );
  const unsigned = counter(
    'unsigned_attempts',
    'Webhook delivery attempts that were not sent because the secret of their webhook cannot be decrypted.',
    [],
  );
  const mails = counter('mails', 'Attempts to send notification mails by outcome.', ['outcome']);
  const reads = counter(
    'replica_reads',
    'Reads that could use the replica, by the database that answered: the replica, or the primary with the reason.',
    ['outcome'],
  );
  const toolCalls = histogram(
    'agreements_tool_call_seconds',
    'Agent tool calls by tool and outcome (answered, refused, failed).',
    ['tool', 'outcome'],
  );
  const quotaRefusals = counter(
    'quota_refusals',
    'Writes refused because a quota of the principal was used up.',
    ['quota'],
  );
  const admissions = counter(
    'admission',
    'Inputs by where they were checked (local: index and outbox; node) and outcome. For admitted inputs that reverted, the race that caused it.',
    ['by', 'outcome', 'race'],
  );
  const removed = counter(
    'removed_rows',
    'Rows removed because they were older than RETENTION_DAYS, by kind.',
    ['kind'],
  );
  const undoneEvents = counter(
    'reorganised_events',
    'Released events whose block was later removed by a reorganisation, even if their transaction was included again.',
    ['chain'],
  );
  const attempts = histogram(
    'agreements_delivery_attempt_duration_seconds',
    'Webhook delivery attempts by the resulting delivery status.',
    ['status'],
  );
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `agreements_${name}`, help, labelNames, registers });
  const ready = gauge('ready', '1 if the process is ready, otherwise 0.', []);
  const indexBlock = gauge('index_block', 'The last indexed block.', ['chain']);
  const indexLag = gauge('index_lag_seconds', 'The age of the last indexed block.', ['chain']);
  const foldedBlock = gauge('folded_block', 'The last block folded into records.', ['chain']);
  const foldedLag = gauge('folded_lag_seconds', 'The age of the last folded block.', ['chain']);
  const rebuilding = gauge(
    'index_rebuilding',
    '1 while the index of a chain is rebuilt after a reorganisation below its final block, otherwise 0.',
    ['chain'],
  );
  const silent = gauge(
    'index_silent',
    '1 while the index of a chain is stalled because no node answers the indexer, otherwise 0.',
    ['chain'],
  );
  const outbox = gauge('outbox_transactions', 'Transactions that are not final, by state.', [
    'chain',
    'state',
  ]);
  const oldest = gauge(
    'outbox_oldest_age_seconds',
    'Age in seconds of the oldest unmined transaction. 0 if none is waiting.',
    ['chain'],
  );
  const balance = gauge('wallet_balance_wei', 'The balance of a relayer wallet.', ['chain', 'wallet']);
  const nonce = gauge('wallet_next_nonce', 'The next transaction nonce of a wallet.', ['chain', 'wallet']);
  const active = gauge('wallet_active', '1 if a wallet can send transactions, otherwise 0.', [
    'chain',
    'wallet',
  ]);
  const underWay = gauge('wallet_under_way', 'Signed transactions of a wallet that are not mined yet.', [
    'chain',
    'wallet',
  ]);
  const retired = gauge('wallet_retired', '1 if no worker has the key of a wallet, otherwise 0.', [
    'chain',
    'wallet',
  ]);
  const released = gauge('events_released', 'Events released to the feeds of all principals.', []);
  const waiting = gauge('deliveries_waiting', 'Webhook deliveries waiting for an attempt.', ['status']);
  const oldestDelivery = gauge(
    'deliveries_oldest_age_seconds',
    'How long the oldest waiting delivery has waited, in seconds. 0 if none is waiting.',
    ['status'],
  );
  const quarantined = gauge(
    'quarantined_records',
    'Records in quarantine: folding them failed and is retried later.',
    ['chain'],
  );
  const endpointUp = gauge(
    'rpc_endpoint_up',
    '1 if an endpoint of a chain is in use, 0 if it is paused after failures or rate limiting, lags, or belongs to another chain.',
    ['chain', 'endpoint'],
  );
  const endpointBehind = gauge(
    'rpc_endpoint_behind_blocks',
    'How many blocks an endpoint is behind the most recent endpoint of its chain. 0 if it is not lagging.',
    ['chain', 'endpoint'],
  );
  const indexLate = gauge(
    'index_late_seconds',
    'How long the index has been behind the nodes of the chain.',
    ['chain'],
  );
  const foldLate = gauge('fold_late_seconds', 'How long the records have been behind the index.', ['chain']);
  const endpointRequests = counter(
    'rpc_requests',
    'HTTP requests to an endpoint of a chain by outcome: answered, failed, limited.',
    ['chain', 'endpoint', 'outcome'],
  );
  const ofChains = [
    underWay,
    retired,
    indexBlock,
    indexLag,
    foldedBlock,
    foldedLag,
    rebuilding,
    silent,
    outbox,
    oldest,
    balance,
    nonce,
    active,
  ];

  for (const { chainId } of chains) {
    const chain = String(chainId);
    for (const reach of Object.keys(reaches)) reorganisations.inc({ chain, reach }, 0);
    undoneEvents.inc({ chain }, 0);
  }
  for (const outcome of Object.keys(mailOutcomes)) mails.inc({ outcome }, 0);
  for (const by of ['local', 'node']) {
    for (const outcome of ['accepted', 'refused']) admissions.inc({ by, outcome, race: '' }, 0);
    for (const race of Object.keys(races)) admissions.inc({ by, outcome: 'reverted', race }, 0);
  }
  for (const outcome of Object.keys(readOutcomes)) reads.inc({ outcome }, 0);
  for (const status of Object.keys(attemptStatuses)) attempts.zero({ status });

  const noteChain = (facts: ChainFacts, nowMs: number) => {
    const chain = String(facts.chainId);
    if (facts.index) {
      indexBlock.set({ chain }, facts.index.blockNumber);
      indexLag.set({ chain }, measureLag(facts.index, nowMs));
    }
    if (facts.folded) {
      foldedBlock.set({ chain }, facts.folded.blockNumber);
      foldedLag.set({ chain }, measureLag(facts.folded, nowMs));
    }
    rebuilding.set({ chain }, facts.rebuilding ? 1 : 0);
    silent.set({ chain }, facts.silentSince === null ? 0 : 1);
    for (const { state, count } of facts.outbox) outbox.set({ chain, state }, count);
    oldest.set({ chain }, measureOutbox(facts.outbox).oldestAgeSeconds);
    for (const wallet of facts.wallets) {
      const labels = { chain, wallet: wallet.address };
      balance.set(labels, Number(wallet.balance));
      nonce.set(labels, wallet.nextNonce);
      underWay.set(labels, wallet.underWay);
      retired.set(labels, wallet.status === 'retired' ? 1 : 0);
      active.set(labels, wallet.status === 'active' ? 1 : 0);
    }
  };

  return {
    noteRequest: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status: String(status) }, seconds),
    noteReorganisation({ chainId, isConfirmed, releasedEvents }) {
      const chain = String(chainId);
      reorganisations.inc({ chain, reach: isConfirmed ? 'confirmed' : 'unconfirmed' });
      undoneEvents.inc({ chain }, releasedEvents);
    },
    noteReadiness({ isReady, chains }) {
      ready.set(isReady ? 1 : 0);
      // Unknown values are left out instead of shown with their last value.
      for (const metric of ofChains) metric.reset();
      for (const facts of chains) noteChain(facts, Date.now());
    },
    noteAttempt: ({ status, seconds }) => attempts.observe({ status }, seconds),
    noteTemporalFirings: (count) => temporalFirings.inc(count),
    noteOmitted: (count) => omitted.inc(count),
    noteUnsigned: () => unsigned.inc(),
    noteMail: (outcome) => mails.inc({ outcome }),
    noteToolCall: ({ tool, outcome, seconds }) => toolCalls.observe({ tool, outcome }, seconds),
    noteQuotaRefusal: (quota) => quotaRefusals.inc({ quota }),
    noteRemoved(rows) {
      for (const [kind, count] of Object.entries(rows)) removed.inc({ kind }, count);
    },
    noteAdmission: ({ by, outcome, race = '' }) => admissions.inc({ by, outcome, race }),
    noteRead: (outcome) => reads.inc({ outcome }),
    noteEvents(facts) {
      released.set(facts.released);
      for (const { chainId } of chains) quarantined.set({ chain: String(chainId) }, 0);
      for (const { chainId, count } of facts.quarantined) quarantined.set({ chain: String(chainId) }, count);
      for (const { status, count, oldestAgeSeconds } of facts.waiting) {
        waiting.set({ status }, count);
        oldestDelivery.set({ status }, oldestAgeSeconds);
      }
    },
    noteEndpoints(endpoints) {
      endpointRequests.reset();
      for (const { chainId, host: endpoint, status, behindBlocks, requests: counts } of endpoints) {
        const chain = String(chainId);
        endpointUp.set({ chain, endpoint }, status === 'ok' ? 1 : 0);
        endpointBehind.set({ chain, endpoint }, behindBlocks);
        for (const [outcome, count] of Object.entries(counts))
          endpointRequests.inc({ chain, endpoint, outcome }, count);
      }
    },
    noteLags(lags) {
      for (const { chainId, indexLateMs, foldLateMs } of lags) {
        indexLate.set({ chain: String(chainId) }, indexLateMs / 1000);
        foldLate.set({ chain: String(chainId) }, foldLateMs / 1000);
      }
    },
    print: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
