import type { Hex, PublicClient } from 'viem';
import { findNodeText, readNodeAnswer } from '../../platform/nodes/nodeAnswer.ts';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import { continueTrace } from '../../platform/tracing/tracing.ts';
import type { NotedAnswer } from './answerLog.ts';

/** Stored bytes on their way to a node. */
export type Outgoing = {
  readonly hash: Hex;
  readonly raw: Hex;
  /** To every endpoint, not only to the first one that answers. */
  readonly everywhere: boolean;
  /** The trace position of the carried request; null without tracing, or if they carry nothing. */
  readonly traceParent: string | null;
};

export type Sender = {
  /** Sends soon, in the given order, after the bytes that already wait. */
  push(items: readonly Outgoing[]): void;
  /** Milliseconds since these bytes were last sent, 0 while they wait or are on their way; undefined for never. */
  sentMs(hash: Hex): number | undefined;
  /** Whether every node said, when these bytes were last sent, that it will never take them. */
  isRefused(hash: Hex): boolean;
  /** Forgets bytes sent before `until`, by this process's clock, except these hashes. */
  retain(hashes: ReadonlySet<Hex>, until: number): void;
  /** Drops waiting bytes, and resolves when nothing is on its way. */
  close(): Promise<void>;
};

/** Together with the count, this fills one request of a client's largest batch. */
const batchSize = 19;

/**
 * Sends the bytes of one wallet, a batch at a time, so that nodes see its nonces in order. `onBatch` gets the
 * nodes' answers, and is called with `count` in the same request, for callers who track the chain's progress.
 */
export function createSender(options: {
  client: PublicClient;
  endpoints: readonly PublicClient[];
  count(): Promise<void>;
  onAnswers(answers: readonly NotedAnswer[]): void;
}): Sender {
  const { client, endpoints, count, onAnswers } = options;
  let waiting: Outgoing[] = [];
  const sentAt = new Map<Hex, number>();
  const refused = new Set<Hex>();
  let running: Promise<void> | undefined;

  const send = (item: Outgoing): Promise<NotedAnswer> => {
    const { hash, traceParent } = item;
    const attributes = { 'agreements.transaction.hash': hash };
    return continueTrace({ name: 'broadcast transaction', traceParent, attributes }, async (span) => {
      const answer = await sendNow(item);
      span.note({ 'agreements.node.answer': answer.answer });
      return answer;
    });
  };
  const sendNow = async ({ hash, raw, everywhere }: Outgoing): Promise<NotedAnswer> => {
    const targets = everywhere && endpoints.length > 1 ? endpoints : [client];
    const answers = await Promise.all(targets.map((target) => sendBytes(target, hash, raw)));
    sentAt.set(hash, performance.now());
    // The client tells the best of the answers that it got: a node that did not answer it may have another limit.
    const isSaidByAll = targets.length >= endpoints.length && answers.every(isRefusal);
    if (isSaidByAll) refused.add(hash);
    else refused.delete(hash);
    const [first = { hash, answer: 'unavailable', text: undefined } as const] = answers;
    return (
      answers.find(({ answer }) => answer === 'accepted') ??
      // What helps with one node, such as a higher fee, is worth trying although another one would never take it.
      answers.find((answered) => answered.answer !== 'unavailable' && !isRefusal(answered)) ??
      answers.find(isRefusal) ??
      first
    );
  };
  const run = async () => {
    for (let batch = waiting.splice(0, batchSize); batch.length > 0; batch = waiting.splice(0, batchSize)) {
      faultPoint('beforeBroadcast');
      const [answers] = await Promise.all([Promise.all(batch.map(send)), count().catch(() => {})]);
      faultPoint('afterBroadcast');
      onAnswers(answers);
    }
  };

  const start = () => {
    if (waiting.length === 0) return;
    running ??= run().finally(() => {
      running = undefined;
      start();
    });
  };

  return {
    push(items) {
      for (const { hash } of items) sentAt.set(hash, Number.POSITIVE_INFINITY);
      waiting.push(...items);
      start();
    },
    sentMs(hash) {
      const at = sentAt.get(hash);
      return at === undefined ? undefined : Math.max(0, performance.now() - at);
    },
    isRefused: (hash) => refused.has(hash),
    retain(hashes, until) {
      for (const [hash, at] of sentAt) {
        if (hashes.has(hash) || at >= until) continue;
        sentAt.delete(hash);
        refused.delete(hash);
      }
    },
    async close() {
      waiting = [];
      await running;
    },
  };
}

function isRefusal({ answer }: NotedAnswer): boolean {
  return answer === 'rejected';
}

async function sendBytes(client: PublicClient, hash: Hex, raw: Hex): Promise<NotedAnswer> {
  try {
    await client.request({ method: 'eth_sendRawTransaction', params: [raw] });
    return { hash, answer: 'accepted', text: undefined };
  } catch (error) {
    return { hash, answer: readNodeAnswer(error), text: findNodeText(error) };
  }
}
