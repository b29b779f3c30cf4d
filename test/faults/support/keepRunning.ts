import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from '../../../src/platform/supervision/child.ts';
import type { FaultPoint } from '../../../src/platform/supervision/faultPoint.ts';
import { createDealer } from './dealer.ts';

/** The place of a kill: a fault point, or any moment after the process's time was up. */
export type Kill = FaultPoint | 'any moment';

export type KeptProcess = {
  /** From now on each process is killed early. */
  doom(): void;
  /** From now on no process is killed. */
  spare(): void;
  stop(): Promise<void>;
};

export type KeepRunningOptions = {
  /** Starts the process; `onReady` is called once it does its work. */
  start(env: NodeJS.ProcessEnv, onReady: () => void): Child;
  /**
   * The fault points, dealt in random order, each once before any repeats. If there are none, the process is
   * only killed from outside.
   */
  points: readonly FaultPoint[];
  random(): number;
  /** The longest working time in milliseconds; each process gets a random share of it. */
  longestMs: number;
  onKill(kill: Kill): void;
  /** The process ended although nothing killed it. */
  onCrash(description: string): void;
};

/** The process is killed at a random pass of the fault point, at the latest at this one. */
const mostPasses = 12;
/** The most processes in a row that aim at the same fault point. */
const mostLives = 5;
const restartPauseMs = 50;

type Fault = { readonly point: FaultPoint; readonly passes: number; readonly lives: number };

/**
 * If a process did not reach its pass in time, the next one aims at half as many passes, so that few fault
 * points are given up.
 */
function ease(fault: Fault | undefined): Fault | undefined {
  if (!fault || fault.lives === mostLives) return undefined;
  return { ...fault, passes: Math.ceil(fault.passes / 2), lives: fault.lives + 1 };
}

/**
 * Keeps a process running. While it is doomed, each process is killed at one of its fault points, or when its
 * time is up.
 */
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
      // Ends the present process, because a process gets its fault point at its start.
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
