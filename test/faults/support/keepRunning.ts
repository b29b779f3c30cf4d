import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from '../../../src/platform/supervision/child.ts';
import type { FaultPoint } from '../../../src/platform/supervision/faultPoint.ts';
import { createDealer } from './dealer.ts';

/** Where a process was killed: at a labelled place, or wherever it was when its time was up. */
export type Kill = FaultPoint | 'any moment';

export type KeptProcess = {
  /** From now on each life ends early. */
  doom(): void;
  /** From now on none does. */
  spare(): void;
  stop(): Promise<void>;
};

export type KeepRunningOptions = {
  /** Starts it; `onReady` is called once it does its work. */
  start(env: NodeJS.ProcessEnv, onReady: () => void): Child;
  /** Each is chosen once before any is again. None: it is only killed from outside. */
  points: readonly FaultPoint[];
  random(): number;
  /** How long it may work, in milliseconds: a share of it by chance. */
  longestMs: number;
  onKill(kill: Kill): void;
  /** It ended although nothing killed it. */
  onCrash(description: string): void;
};

/** A place is passed so often at most before the process is killed there. */
const mostPasses = 12;
/** So many lives in a row are meant to end at the same place at most. */
const mostLives = 5;
const restartPauseMs = 50;

type Fault = { readonly point: FaultPoint; readonly passes: number; readonly lives: number };

/** What is tried next where a life was too short for so many passes: half of them, so that few places are given up. */
function ease(fault: Fault | undefined): Fault | undefined {
  if (!fault || fault.lives === mostLives) return undefined;
  return { ...fault, passes: Math.ceil(fault.passes / 2), lives: fault.lives + 1 };
}

/** Keeps a process running. While it is doomed, each life ends at one of its fault points, or when its time is up. */
export function keepRunning(options: KeepRunningOptions): KeptProcess {
  const { start, points, random, longestMs, onKill, onCrash } = options;
  const dealPoint = createDealer(random, points);
  let fault: Fault | undefined;
  let isDoomed = false;
  let isStopped = false;
  let child: Child | undefined;
  let isReady = false;
  let isTimeUp = false;
  let isExpectedToEnd = false;
  let timer: NodeJS.Timeout | undefined;

  const dealFault = (): Fault | undefined => {
    const point = dealPoint();
    return point && { point, passes: 1 + Math.floor(random() * mostPasses), lives: 1 };
  };
  const limitLife = () => {
    if (!isDoomed || !isReady) return;
    timer ??= setTimeout(
      () => {
        isTimeUp = true;
        void child?.kill();
      },
      longestMs * (0.4 + 0.6 * random()),
    );
  };
  const live = async () => {
    if (isDoomed) fault = (isTimeUp && ease(fault)) || dealFault();
    else fault = undefined;
    isReady = false;
    isTimeUp = false;
    isExpectedToEnd = false;
    child = start(fault ? { FAULT_POINT: `${fault.point}:${fault.passes}` } : {}, () => {
      isReady = true;
      limitLife();
    });
    const { signal, code } = await child.exited;
    child = undefined;
    clearTimeout(timer);
    timer = undefined;
    if (isExpectedToEnd) return;
    if (signal !== 'SIGKILL' || (!fault && !isTimeUp)) onCrash(`ended with ${signal ?? code}`);
    else onKill(isTimeUp || !fault ? 'any moment' : fault.point);
  };
  const run = async () => {
    while (!isStopped) {
      await live();
      await delay(restartPauseMs);
    }
  };
  const running = run();
  const endLife = () => {
    isExpectedToEnd = true;
    void child?.kill();
  };

  return {
    doom() {
      isDoomed = true;
      // A fault point is chosen when a process starts.
      if (points.length > 0) endLife();
      else limitLife();
    },
    spare() {
      isDoomed = false;
      clearTimeout(timer);
      if (points.length > 0) endLife();
    },
    async stop() {
      isStopped = true;
      endLife();
      await running;
    },
  };
}
