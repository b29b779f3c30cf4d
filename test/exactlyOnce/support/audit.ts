import { nameHash } from '../../../src/protocol/index.ts';
import type { Chain } from './chain.ts';
import { startPoller, type Told } from './poller.ts';
import type { Receiver } from './receiver.ts';
import type { Stack } from './stack.ts';
import type { Agreement } from './submissions.ts';

/** The faults, one line each. */
export type Findings = {
  /** Transitions of the final chains without an event. */
  missing: string[];
  /** Events of transitions that are on no final chain. */
  unfounded: string[];
  /** Events that came more than once or under several ids. */
  repeated: string[];
  /** Events that came before earlier events of the same agreement. */
  disordered: string[];
  /** Events that the feed's poller missed, or that only the poller had. */
  skipped: string[];
  undelivered: string[];
  /** Deliveries without a valid signature, of unknown events, or with a different body on another attempt. */
  misdelivered: string[];
};

export type Audit = { transitions: number; events: number; attempts: number; findings: Findings };

type Expected = { key: string; txHash: string | null };

/** Compares the final chains with the feed, with the poller's events and with the receiver's events. */
export async function audit(options: {
  stack: Stack;
  agreements: ReadonlyMap<Chain, readonly Agreement[]>;
  /** The events that the poller read from the feed during the run. */
  polled: readonly Told[];
  receiver: Receiver;
}): Promise<Audit> {
  const { stack, agreements, polled, receiver } = options;
  const expected: Expected[] = [];
  for (const [chain, own] of agreements) expected.push(...(await readExpected(chain, own)));
  const poller = startPoller(stack);
  await poller.stop();
  const { told } = poller;
  const transactions = await readTransactions(stack);
  const findings: Findings = {
    missing: [],
    unfounded: [],
    repeated: [],
    disordered: [],
    skipped: [],
    undelivered: [],
    misdelivered: [],
  };
  compareFeed({ expected, told, transactions }, findings);
  comparePolled({ polled, told }, findings);
  compareReceived({ told, receiver }, findings);
  const attempts = [...receiver.received.values()].reduce((sum, reception) => sum + reception.attempts, 0);
  return {
    transitions: expected.length - countAgreements(agreements),
    events: told.length,
    attempts,
    findings,
  };
}

const states = new Map(['PING', 'PONG'].map((name) => [nameHash(name), name]));

async function readExpected(chain: Chain, agreements: readonly Agreement[]): Promise<Expected[]> {
  const inputs = await chain.readInputs();
  return agreements.flatMap(({ id, address }) => {
    const changes = inputs.filter(({ agreement, from, to }) => agreement === address && from !== to);
    const transitions = changes.map(({ from, to, txHash }, at) => ({
      key: `${id} ${at + 1} ${states.get(from)}>${states.get(to)} hit`,
      txHash,
    }));
    return [{ key: `${id} 0 >PING __deploy`, txHash: null }, ...transitions];
  });
}

const keyOf = ({ data: { agreementId, sequence, fromState, toState, inputId } }: Told) =>
  `${agreementId} ${sequence} ${fromState}>${toState} ${inputId}`;

async function readTransactions({ pool }: Stack): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; tx_hash: string }>(
    'select id, tx_hash from service.events where tx_hash is not null',
  );
  return new Map(rows.map(({ id, tx_hash }) => [id, tx_hash]));
}

function compareFeed(
  found: { expected: readonly Expected[]; told: readonly Told[]; transactions: ReadonlyMap<string, string> },
  findings: Findings,
): void {
  const { expected, told, transactions } = found;
  const wanted = new Map(expected.map(({ key, txHash }) => [key, txHash]));
  const seenKeys = new Set<string>();
  const seenIds = new Set<string>();
  const last = new Map<string, number>();
  for (const event of told) {
    const key = keyOf(event);
    const txHash = wanted.get(key);
    if (txHash === undefined) findings.unfounded.push(key);
    else if (txHash !== null && txHash !== transactions.get(event.id))
      findings.unfounded.push(`${key}: ${txHash}`);
    if (seenKeys.has(key) || seenIds.has(event.id)) findings.repeated.push(`${key} ${event.id}`);
    seenKeys.add(key);
    seenIds.add(event.id);
    const { agreementId, sequence } = event.data;
    if (sequence <= (last.get(agreementId) ?? -1)) findings.disordered.push(key);
    last.set(agreementId, sequence);
  }
  for (const { key } of expected) if (!seenKeys.has(key)) findings.missing.push(key);
}

function comparePolled(
  { polled, told }: { polled: readonly Told[]; told: readonly Told[] },
  findings: Findings,
): void {
  const length = Math.max(polled.length, told.length);
  for (let at = 0; at < length; at++) {
    const [one, other] = [polled[at], told[at]];
    if (one?.text !== other?.text) findings.skipped.push(`at ${at}: ${one?.id} and not ${other?.id}`);
  }
}

function compareReceived(
  { told, receiver }: { told: readonly Told[]; receiver: Receiver },
  { undelivered, misdelivered }: Findings,
): void {
  const texts = new Map(told.map(({ id, text }) => [id, text]));
  for (const [id, text] of texts) {
    const reception = receiver.received.get(id);
    if (!reception?.accepted) undelivered.push(id);
    else if (reception.bodies.size !== 1 || !reception.bodies.has(text)) misdelivered.push(`${id} changed`);
  }
  for (const id of receiver.received.keys())
    if (!texts.has(id)) misdelivered.push(`${id} is not in the feed`);
  misdelivered.push(...receiver.refused);
}

function countAgreements(agreements: ReadonlyMap<Chain, readonly Agreement[]>): number {
  return [...agreements.values()].reduce((sum, own) => sum + own.length, 0);
}
