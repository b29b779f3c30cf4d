import { join } from 'node:path';
import { describeExit } from '../../platform/supervision/child.ts';
import { createLogFile, type LogFile } from '../devtools/logFile.ts';
import { type ServiceName, serviceNames } from '../services/processSettings.ts';
import { startServices } from '../services/servicePrograms.ts';
import type { DevDirectory } from './devDirectory.ts';
import type { ProcessList } from './leftProcesses.ts';
import type { Progress } from './progress.ts';

const shownTailLines = 15;

/**
 * Starts indexer, worker and API with their output in log files. Their errors, and how one of them ended, are
 * shown in the terminal too.
 */
export function startDevServices(options: {
  env: NodeJS.ProcessEnv;
  directory: DevDirectory;
  progress: Progress;
  processes: ProcessList;
  onBroken(message: string): void;
}) {
  const { env, directory, progress, processes, onBroken } = options;
  const logs = new Map<ServiceName, LogFile>(
    serviceNames.map((name) => {
      const path = join(directory.logs, `${name}.log`);
      return [name, createLogFile(path, ({ message }) => progress.fail(`${name}: ${message}`))];
    }),
  );
  const tail = (name: ServiceName) => {
    const log = logs.get(name);
    return log ? `The end of ${log.path}:\n${log.tail(shownTailLines)}` : '';
  };
  const services = startServices({
    env,
    onLine: (name, line) => logs.get(name)?.write(line),
    onStarted: (name, pid) => processes.note(`the ${name}`, pid),
    onRestart: (name, exit, delayMs) => {
      const where = logs.get(name)?.path ?? '';
      progress.warn(`the ${name} ${describeExit(exit)}; starting it again in ${delayMs} ms (${where})`);
    },
    onGivenUp: (name, exit) => onBroken(`the ${name} ${describeExit(exit)} again and again\n${tail(name)}`),
  });
  return {
    name: 'services',
    stop: () => services.stop((name) => progress.note(`  stopped the ${name}`)),
    kill: () => services.kill(),
  };
}
