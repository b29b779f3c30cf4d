import { fileURLToPath } from 'node:url';
import { withoutSigners } from '../config/relayerSigners.ts';
import { type Exit, startChild } from './child.ts';
import { type Supervisor, supervise, unlimitedRestarts } from './supervisor.ts';

/** In the order in which they are stopped: first nobody asks any more, then nothing is sent, then nothing is indexed. */
export const serviceNames = ['api', 'worker', 'indexer'] as const;
export type ServiceName = (typeof serviceNames)[number];

const entries: Record<ServiceName, string> = {
  api: fileURLToPath(new URL('../../cli/start/api.ts', import.meta.url)),
  worker: fileURLToPath(new URL('../../cli/start/worker.ts', import.meta.url)),
  indexer: fileURLToPath(new URL('../../cli/start/indexer.ts', import.meta.url)),
};

/**
 * With Node's own 16 MB for each half of the young generation a process that serves little keeps 40 MB more than it needs; with 4
 * a busy one spends a seventh of its time on collecting garbage.
 */
const lean = [
  '--max-semi-space-size=8',
  '--import',
  fileURLToPath(new URL('lightDrizzle.ts', import.meta.url)),
];
/** Not for the indexer: Ponder has its own ways of loading, and a backfill is all allocation. */
const nodeFlags: Partial<Record<ServiceName, string[]>> = { api: lean, worker: lean };

export type ServicesOptions = {
  /** The environment of all three; each gets of the secrets in it only what it needs. */
  env: NodeJS.ProcessEnv;
  /** How long each may take to stop before it is killed: by default 20 seconds. */
  stopTimeoutMs?: number;
  /** Receives what the services print. Without it they print to this process's own output. */
  onLine?: (name: ServiceName, line: string) => void;
  onStarted?: (name: ServiceName, pid: number) => void;
  onRestart(name: ServiceName, exit: Exit, delayMs: number): void;
  onGivenUp(name: ServiceName, exit: Exit): void;
  /** Services that are never given up: the others go on without them. */
  kept?: readonly ServiceName[];
};

export type Services = {
  /** Stops one after the other. */
  stop(onStopped?: (name: ServiceName) => void): Promise<void>;
  /** Ends all at once, by force. */
  kill(): Promise<void>;
};

/** The worker alone gets what signs and what sends mails; the indexer, which keeps no secrets, not what encrypts them either. */
export function environmentOf(name: ServiceName, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (name === 'worker') return env;
  const { ENCRYPTION_KEY, SMTP_URL: _, ...others } = withoutSigners(env);
  return name === 'indexer' || ENCRYPTION_KEY === undefined ? others : { ...others, ENCRYPTION_KEY };
}

/** Starts the three processes of the service and keeps them running. */
export function startServices(options: ServicesOptions): Services {
  const { env, stopTimeoutMs, onLine, onStarted, onRestart, onGivenUp, kept = [] } = options;
  const supervisors = new Map<ServiceName, Supervisor>();
  for (const name of serviceNames.toReversed()) {
    const supervisor = supervise({
      start: () =>
        startChild({
          entry: entries[name],
          nodeFlags: nodeFlags[name],
          env: environmentOf(name, env),
          onLine: onLine && ((line) => onLine(name, line)),
          stopTimeoutMs,
        }),
      onStarted: ({ pid }) => onStarted?.(name, pid),
      onRestart: (exit, delayMs) => onRestart(name, exit, delayMs),
      onGivenUp: (exit) => onGivenUp(name, exit),
      restarts: kept.includes(name) ? unlimitedRestarts : undefined,
    });
    supervisors.set(name, supervisor);
  }
  return {
    async stop(onStopped) {
      for (const name of serviceNames) {
        await supervisors.get(name)?.stop();
        onStopped?.(name);
      }
    },
    async kill() {
      await Promise.all([...supervisors.values()].map((supervisor) => supervisor.kill()));
    },
  };
}
