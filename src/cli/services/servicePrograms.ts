import { fileURLToPath } from 'node:url';
import { withoutSigners } from '../../platform/config/relayerSigners.ts';
import { type Exit, startChild } from '../../platform/supervision/child.ts';
import {
  type Supervisor,
  stopInOrder,
  supervise,
  unlimitedRestarts,
} from '../../platform/supervision/supervisor.ts';
import { processSettings, type ServiceName, serviceNames } from './processSettings.ts';

const entries: Record<ServiceName, string> = {
  api: fileURLToPath(new URL('../start/api.ts', import.meta.url)),
  worker: fileURLToPath(new URL('../start/worker.ts', import.meta.url)),
  indexer: fileURLToPath(new URL('../start/indexer.ts', import.meta.url)),
};

export type ServicesOptions = {
  /** The environment for all three; each process gets only the secrets that it needs. */
  env: NodeJS.ProcessEnv;
  /** How long each may take to stop before it is killed; 20 seconds by default. */
  stopTimeoutMs?: number;
  /** Receives the services' output. Without it they write to this process's output. */
  onLine?: (name: ServiceName, line: string) => void;
  onStarted?: (name: ServiceName, pid: number) => void;
  onRestart(name: ServiceName, exit: Exit, delayMs: number): void;
  onGivenUp(name: ServiceName, exit: Exit): void;
  /** Services that are always restarted; the others continue without them. */
  kept?: readonly ServiceName[];
};

export type Services = {
  /** Stops one after the other, and starts none again. */
  stop(onStopped?: (name: ServiceName) => void): Promise<void>;
  kill(): Promise<void>;
};

/**
 * Only the worker gets the signing keys and the mail server; the indexer, which stores no secrets, gets no
 * encryption key either.
 */
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
          ...processSettings[name],
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
  const inOrder = new Map([...supervisors].toReversed());
  return {
    stop: (onStopped) => stopInOrder(inOrder, onStopped),
    async kill() {
      await Promise.all([...supervisors.values()].map((supervisor) => supervisor.kill()));
    },
  };
}
