import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EndpointFacts } from '../chain/endpoint.ts';
import type { ReadOutcome } from '../database/reads.ts';
import type { DeliveryStatus } from '../database/tables/webhooks.ts';
import type { MailOutcome } from '../rules/sendMail.ts';
import { measureLag, measureOutbox } from './describeReadiness.ts';
import type { EventFacts } from './readEventFacts.ts';
import type { ChainFacts } from './readFacts.ts';
import type { Readiness } from './readiness.ts';

/** One answered request; `route` is its path as documented, so that there are as many as there are routes. */
export type ServedRequest = {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
};

/** A reorganisation that was folded into the records. */
export type Reorganisation = {
  readonly chainId: number;
  /** Whether it reached blocks that had their confirmations. */
  readonly isConfirmed: boolean;
  /** How many events of its blocks had been released before. */
  readonly releasedEvents: number;
};

export type Metrics = {
  noteReorganisation(reorganisation: Reorganisation): void;
  noteRequest(request: ServedRequest): void;
  noteReadiness(readiness: Readiness): void;
  noteEndpoints(endpoints: readonly EndpointFacts[]): void;
  /** An attempt of a delivery, and what became of the delivery by it. */
  noteAttempt(attempt: { readonly status: string; readonly seconds: number }): void;
  noteEvents(facts: EventFacts): void;
  /** Firings of temporal rules, one for each recipient. */
  noteTemporalFirings(count: number): void;
  /** What became of one attempt to send the mail of a rule. */
  noteMail(outcome: MailOutcome): void;
  /** Who answered a read where there is a replica for reads. */
  noteRead(outcome: ReadOutcome): void;
  /** All of it in the text format of Prometheus. */
  print(): Promise<string>;
  readonly contentType: string;
};

/** From a cached read to a deployment that is awaited. */
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
const attemptStatuses: Record<Exclude<DeliveryStatus, 'pending'>, true> = {
  retry_pending: true,
  succeeded: true,
  failed: true,
};

/**
 * What one process counts and measures: the process itself, its requests, and what the database says of the chains. What counts
 * rare things counts from 0: a series that begins with what it counts has not increased by it, for Prometheus.
 */
export function createMetrics({ chains }: { chains: readonly { readonly chainId: number }[] }): Metrics {
  const registers = [new Registry()];
  const [registry = new Registry()] = registers;
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Answered requests by route and status, with the time until the answer began.',
    labelNames: ['method', 'route', 'status'],
    buckets: secondsBuckets,
    registers,
  });
  const reorganisations = new Counter({
    name: 'agreements_reorganisations_total',
    help: 'Folded reorganisations, by whether they reached blocks that had their confirmations.',
    labelNames: ['chain', 'reach'],
    registers,
  });
  const temporalFirings = new Counter({
    name: 'agreements_temporal_firings_total',
    help: 'Firings of temporal notification rules, one for each recipient.',
    registers,
  });
  const mails = new Counter({
    name: 'agreements_mails_total',
    help: 'Attempts to send the mails of notification rules, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const reads = new Counter({
    name: 'agreements_replica_reads_total',
    help: 'Reads where there is a replica for them, by who answered: the replica, or the primary for the reason given.',
    labelNames: ['outcome'],
    registers,
  });
  const undoneEvents = new Counter({
    name: 'agreements_reorganised_events_total',
    help: 'Events that had been released when their block fell out; those whose transaction came back count too.',
    labelNames: ['chain'],
    registers,
  });
  const attempts = new Histogram({
    name: 'agreements_delivery_attempt_duration_seconds',
    help: 'Attempts of webhook deliveries by what became of the delivery.',
    labelNames: ['status'],
    buckets: secondsBuckets,
    registers,
  });
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `agreements_${name}`, help, labelNames, registers });
  const ready = gauge('ready', '1 where the process is ready, else 0.', []);
  const indexBlock = gauge('index_block', 'The last block that the index shows.', ['chain']);
  const indexLag = gauge('index_lag_seconds', 'The age of the last block that the index shows.', ['chain']);
  const foldedBlock = gauge('folded_block', 'The last block that is folded into records.', ['chain']);
  const foldedLag = gauge('folded_lag_seconds', 'The age of the last folded block.', ['chain']);
  const outbox = gauge('outbox_transactions', 'Transactions that are not final, by state.', [
    'chain',
    'state',
  ]);
  const oldest = gauge(
    'outbox_oldest_age_seconds',
    'Since when the oldest transaction waits to be mined; 0 where none does.',
    ['chain'],
  );
  const balance = gauge('wallet_balance_wei', 'What a relayer wallet holds.', ['chain', 'wallet']);
  const nonce = gauge('wallet_next_nonce', 'The nonce of the next transaction of a wallet.', [
    'chain',
    'wallet',
  ]);
  const active = gauge('wallet_active', '1 where a wallet can send, else 0.', ['chain', 'wallet']);
  const underWay = gauge('wallet_under_way', 'Signed transactions of a wallet that are not mined.', [
    'chain',
    'wallet',
  ]);
  const retired = gauge('wallet_retired', '1 where no worker has the key of a wallet, else 0.', [
    'chain',
    'wallet',
  ]);
  const released = gauge('events_released', 'Events in the feeds of all principals so far.', []);
  const waiting = gauge('deliveries_waiting', 'Webhook deliveries that are to be attempted.', ['status']);
  const oldestDelivery = gauge(
    'deliveries_oldest_age_seconds',
    'Since when the oldest delivery is to be attempted; 0 where none is.',
    ['status'],
  );
  const endpointUp = gauge(
    'rpc_endpoint_up',
    '1 where an endpoint of a chain is asked, 0 while it rests after failures or because it has asked for a rest.',
    ['chain', 'endpoint'],
  );
  const endpointRequests = new Counter({
    name: 'agreements_rpc_requests_total',
    help: 'HTTP requests to an endpoint of a chain, by what became of them: answered, failed, limited.',
    labelNames: ['chain', 'endpoint', 'outcome'],
    registers,
  });
  const ofChains = [
    underWay,
    retired,
    indexBlock,
    indexLag,
    foldedBlock,
    foldedLag,
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
      // What nobody knows any more is left out, not shown as it last was.
      for (const metric of ofChains) metric.reset();
      for (const facts of chains) noteChain(facts, Date.now());
    },
    noteAttempt: ({ status, seconds }) => attempts.observe({ status }, seconds),
    noteTemporalFirings: (count) => temporalFirings.inc(count),
    noteMail: (outcome) => mails.inc({ outcome }),
    noteRead: (outcome) => reads.inc({ outcome }),
    noteEvents(facts) {
      released.set(facts.released);
      for (const { status, count, oldestAgeSeconds } of facts.waiting) {
        waiting.set({ status }, count);
        oldestDelivery.set({ status }, oldestAgeSeconds);
      }
    },
    noteEndpoints(endpoints) {
      endpointRequests.reset();
      for (const { chainId, host: endpoint, status, requests: counts } of endpoints) {
        const chain = String(chainId);
        endpointUp.set({ chain, endpoint }, status === 'ok' ? 1 : 0);
        for (const [outcome, count] of Object.entries(counts))
          endpointRequests.inc({ chain, endpoint, outcome }, count);
      }
    },
    print: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
