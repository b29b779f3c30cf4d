import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestClient, http } from 'viem';
import { buildAnvilCommand } from './anvilCommand.ts';
import { type AnvilLog, openAnvilLog } from './anvilLog.ts';
import { watchAnvilPool } from './anvilPool.ts';
import { type AnvilStateFile, adoptAnvilDump, prepareAnvilState } from './anvilStateFile.ts';

/** Loading a state of many blocks takes seconds, and a fork asks a remote node first. */
const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
const answerTimeoutMs = 5_000;
const pollMs = 20;
const errorTailBytes = 4_096;
/** The banner with the accounts precedes the address. */
const bannerBytes = 65_536;
const dumpIntervalSeconds = 5;
/** Each kept state repeats the chain's accounts in every dump, so a saved chain keeps no more than two epochs. */
const savedHistoricalStates = 64;

/** A node of the forked chain, and the last copied block. */
export type AnvilFork = { url: string; blockNumber: number };

export interface AnvilOptions {
  chainId: number;
  /** Default: a free one. */
  port?: number;
  /** The chain is loaded from this file if it exists, and saved there on `stop` and every five seconds. */
  stateFile?: string;
  /** Anvil's output is appended here. Default: it is kept only for the error of a failed start. */
  logFile?: string;
  /** Seconds between blocks. Default: a block per transaction. */
  blockTime?: number;
  fork?: AnvilFork | undefined;
  extraArgs?: readonly string[];
}

export interface Anvil {
  rpcUrl: string;
  wsUrl: string;
  port: number;
  pid: number;
  /** Stops Anvil, saves its state, and resolves when the process is gone. May be called more than once. */
  stop(): Promise<void>;
  /** Kills Anvil like a crash, with nothing saved since the last interval, and resolves when it is gone. */
  kill(): Promise<void>;
}

const running = new Set<ChildProcess>();
let isExitWatched = false;

/**
 * Starts an Anvil on the loopback interface and resolves when it answers. It ends with this process. Rejects
 * with the end of Anvil's output if it dies first or does not answer within a minute. With a `stateFile` a
 * chain resumes with its blocks, receipts and logs, and with the states of its last 64 blocks. A reorg may
 * undo only blocks made since: Anvil loses every contract's code when it goes back into a resumed state.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { stateFile, logFile } = options;
  const state = stateFile === undefined ? null : prepareAnvilState(stateFile);
  const { file, args } = buildAnvilCommand(buildArguments(options, state));
  const log = openAnvilLog(logFile);

  // In its own process group: an interrupt in the terminal reaches Anvil only through `stop`, in its turn.
  const child = spawn(file, args, { stdio: ['ignore', log.descriptor, log.descriptor], detached: true });
  const exited = once(child, 'exit').finally(() => running.delete(child));
  endWithProcess(child);

  let ended: Promise<void> | undefined;
  let leavePool = () => {};
  async function end(signal: NodeJS.Signals): Promise<void> {
    leavePool();
    child.kill(signal);
    const overdue = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await exited.finally(() => {
      clearTimeout(overdue);
      log.close();
    });
    if (stateFile !== undefined) adoptAnvilDump(stateFile);
  }

  try {
    if (child.pid === undefined) await exited;
    const port = await waitUntilReady(child, log);
    if (state?.genesisTimestamp != null) await setClock(port);
    const rpcUrl = `http://127.0.0.1:${port}`;
    leavePool = watchAnvilPool(rpcUrl);
    return {
      rpcUrl,
      wsUrl: `ws://127.0.0.1:${port}`,
      port,
      pid: child.pid ?? 0,
      stop: () => (ended ??= end('SIGTERM')),
      kill: () => (ended ??= end('SIGKILL')),
    };
  } catch (error) {
    await end('SIGKILL').catch(() => {});
    throw error;
  }
}

function endWithProcess(child: ChildProcess): void {
  if (!isExitWatched) {
    process.once('exit', () => {
      for (const child of running) child.kill('SIGTERM');
    });
  }
  isExitWatched = true;
  running.add(child);
}

function buildArguments(options: AnvilOptions, state: AnvilStateFile | null): string[] {
  const { chainId, port = 0, blockTime, fork, extraArgs = [] } = options;
  const args = ['--host', '127.0.0.1', '--chain-id', String(chainId), '--port', String(port)];
  if (blockTime !== undefined) args.push('--block-time', String(blockTime));
  if (fork) args.push('--fork-url', fork.url, '--fork-block-number', String(fork.blockNumber));
  if (state !== null) {
    if (state.load !== null) args.push('--load-state', state.load);
    if (state.genesisTimestamp !== null) args.push('--timestamp', String(state.genesisTimestamp));
    args.push('--dump-state', state.dump, '--state-interval', String(dumpIntervalSeconds));
    args.push('--preserve-historical-states', '--prune-history', String(savedHistoricalStates));
  }
  return [...args, ...extraArgs];
}

/** Returns the port in Anvil's output, once it answers there. */
async function waitUntilReady(child: ChildProcess, log: AnvilLog): Promise<number> {
  const giveUpAt = performance.now() + startTimeoutMs;
  while (performance.now() < giveUpAt) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(
        `Anvil ended with ${child.exitCode ?? child.signalCode}:\n${log.readTail(errorTailBytes)}`,
      );
    }
    const port = /Listening on \S+:(\d+)/.exec(log.readTail(bannerBytes))?.[1];
    if (port !== undefined && (await answers(`http://127.0.0.1:${port}`))) return Number(port);
    await delay(pollMs);
  }
  throw new Error(`Anvil did not answer:\n${log.readTail(errorTailBytes)}`);
}

/**
 * With a given start time, Anvil's clock counts from there, and would be late by the time that it was
 * stopped.
 */
async function setClock(port: number): Promise<void> {
  const transport = http(`http://127.0.0.1:${port}`);
  const client = createTestClient({ mode: 'anvil', transport });
  await client.request<SetTimeRequest>({ method: 'evm_setTime', params: [Math.floor(Date.now() / 1000)] });
}

interface SetTimeRequest {
  Method: 'evm_setTime';
  Parameters: [unixSeconds: number];
  ReturnType: unknown;
}

async function answers(rpcUrl: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  const headers = { 'content-type': 'application/json' };
  try {
    const signal = AbortSignal.timeout(answerTimeoutMs);
    return (await fetch(rpcUrl, { method: 'POST', headers, body, signal })).ok;
  } catch {
    return false;
  }
}
