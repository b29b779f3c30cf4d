import { setTimeout as delay } from 'node:timers/promises';
import { pick } from '../../support/random.ts';
import type { Chain, RallyInput } from './chain.ts';
import type { Stack } from './stack.ts';
import { type Agreement, submitHit } from './submissions.ts';

export type Reorganisation = { depth: number; isIncluding: boolean };

export type Play = {
  /** Lets the play continue until the chain holds this many transitions. After that it makes empty blocks. */
  allow(transitions: number): void;
  /** The present number of transitions on the chain. */
  transitions(): number;
  /**
   * Makes blocks with inputs, and replaces them once their events are pending. Resolves with the number of
   * transactions in them.
   */
  reorganise(reorganisation: Reorganisation): Promise<number>;
  /** Ends after the current block. @throws Error for every failure so far. */
  stop(): Promise<void>;
};

const pauseMs = 300;
/** With nothing to do, empty blocks only keep the chain going. */
const idlePauseMs = 1_500;
const longestBlock = 5;
const applauseShare = 0.2;
const batchShare = 0.2;
const inputsPerBatch = 3;
/** One input goes through the service every this many blocks, unless too many of them are pending. */
const blocksPerSubmission = 4;
const submissionsAtOnce = 3;
const patienceMs = 300_000;

/**
 * Makes blocks until it is stopped. Inputs go directly to the contracts, singly or several in one
 * transaction, and some inputs go through the service.
 */
export function playChain(options: {
  stack: Stack;
  chain: Chain;
  agreements: readonly Agreement[];
  random(): number;
}): Play {
  const { stack, chain, agreements, random } = options;
  const submissions = new Set<Promise<void>>();
  const faults: unknown[] = [];
  let transitions = 0;
  let allowed = 0;
  let isStopped = false;
  let next: { reorganisation: Reorganisation; done(transactions: number): void } | undefined;

  const submit = () => {
    const submission = submitHit(stack, { chain, agreement: pick(random, agreements) })
      .catch((error: unknown) => {
        faults.push(error);
      })
      .finally(() => submissions.delete(submission));
    submissions.add(submission);
  };
  const fillBlock = async (number: number) => {
    const size = 1 + Math.floor(random() * longestBlock);
    for (let at = 0; at < size; at++) {
      const { address } = pick(random, agreements);
      const name: RallyInput = random() < applauseShare ? 'applaud' : 'hit';
      const inputs = random() < batchShare ? new Array<RallyInput>(inputsPerBatch).fill('hit') : [name];
      await chain.send(address, inputs, { sender: at, note: `${number} ${at}` });
    }
    if (number % blocksPerSubmission === 0 && submissions.size < submissionsAtOnce) submit();
  };
  const replaceBlocks = async (number: number, { depth, isIncluding }: Reorganisation) => {
    for (let at = 0; at < depth; at++) {
      await fillBlock(number + at);
      await chain.mine();
    }
    await stack.awaitFolded(patienceMs, [chain]);
    return chain.reorganise(depth, { isIncluding });
  };
  const run = async () => {
    for (let number = 0; !isStopped || submissions.size > 0; number++) {
      if (next) {
        const { reorganisation, done } = next;
        next = undefined;
        done(await replaceBlocks(number, reorganisation));
      }
      const isIdle = transitions >= allowed || isStopped;
      if (!isIdle) await fillBlock(number);
      await chain.mine();
      const inputs = await chain.readInputs();
      transitions = inputs.filter(({ from, to }) => from !== to).length;
      await delay(isIdle ? idlePauseMs : pauseMs);
    }
  };
  const running = run();
  running.catch(() => {});
  return {
    allow(count) {
      allowed = count;
    },
    transitions: () => transitions,
    reorganise: (reorganisation) =>
      Promise.race([
        new Promise<number>((done) => {
          next = { reorganisation, done };
        }),
        running.then(() => 0),
      ]),
    async stop() {
      isStopped = true;
      await running;
      const [fault] = faults;
      if (fault !== undefined) throw fault;
    },
  };
}
