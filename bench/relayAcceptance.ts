import { setTimeout as delay } from 'node:timers/promises';
import { type Distribution, summarise } from './distribution.ts';
import type { InputSender } from './inputSender.ts';
import type { NodeWatch } from './nodeWatch.ts';
import type { SignedInput } from './relayCalls.ts';
import { createTimeReader, divideTime, type Running } from './relayThroughput.ts';

/**
 * The result of requests at a steady rate, independent of earlier answers: milliseconds until the input is
 * accepted, by the database's time, milliseconds until the answer with its signed transaction, processor time per
 * input by process in milliseconds, and the calls to the node meanwhile.
 */
export type Acceptance = {
  perSecond: number;
  acceptedMs: Distribution;
  answerMs: Distribution;
  cpuMs: Readonly<Record<string, number>>;
  nodeCalls: number;
};

const warmUpShare = 0.1;

/** Sends inputs at a rate, through an API whose calls to the node go through `watch`. */
export async function measureAcceptance(
  running: Running,
  options: {
    watch: NodeWatch;
    calls: readonly SignedInput[];
    sender: InputSender;
    perSecond: number;
  },
): Promise<Acceptance> {
  const { watch, calls, sender, perSecond } = options;
  const readCpuMs = await createTimeReader(running);
  const sent: Promise<{ id: string; startedAtMs: number; answerMs: number }>[] = [];
  const first = performance.now();
  const warmUp = Math.floor(calls.length * warmUpShare);
  watch.take();
  const before = readCpuMs();
  for (const [at, call] of calls.entries()) {
    const waitMs = first + (at * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await delay(waitMs);
    sent.push(submit(sender, call));
  }
  const answers = (await Promise.all(sent)).slice(warmUp);
  const cpuMs = divideTime(before, readCpuMs(), calls.length);
  const query = `select input.id, extract(epoch from sent.created_at)::float8 * 1000 as accepted_at_ms
    from service.inputs input join service.transactions sent on sent.id = input.transaction_id where input.id = any($1)`;
  const ids = answers.map(({ id }) => id);
  const { rows } = await running.stack.pool.query<{ id: string; accepted_at_ms: number }>(query, [ids]);
  const acceptedAt = new Map(rows.map((row) => [row.id, row.accepted_at_ms]));
  return {
    perSecond,
    acceptedMs: summarise(
      answers.map(({ id, startedAtMs }) => (acceptedAt.get(id) ?? Number.NaN) - startedAtMs),
    ),
    answerMs: summarise(answers.map(({ answerMs }) => answerMs)),
    cpuMs,
    nodeCalls: watch.take(),
  };
}

async function submit(
  sender: InputSender,
  call: SignedInput,
): Promise<{ id: string; startedAtMs: number; answerMs: number }> {
  const startedAtMs = performance.timeOrigin + performance.now();
  const { id } = await sender.send(call);
  return { id, startedAtMs, answerMs: performance.timeOrigin + performance.now() - startedAtMs };
}
