import { rmSync } from 'node:fs';
import { parseArgs, styleText } from 'node:util';
import { ConfigurationError } from '../../platform/config/configurationError.ts';
import { onStopRequest } from '../../platform/supervision/stopSignals.ts';
import { describeStack } from './describeStack.ts';
import { findDevDirectory } from './devDirectory.ts';
import { readDevVariables } from './devEnvironment.ts';
import { DevLockedError, lockDevDirectory } from './devLock.ts';
import { PortError } from './devPort.ts';
import { type Fork, readForks } from './forks.ts';
import { endLeftProcesses } from './leftProcesses.ts';
import { createProgress } from './progress.ts';
import { createRunningStack } from './runningStack.ts';
import { startDevStack } from './startDevStack.ts';

const help = `npm run dev [-- --reset] [--fork <chainId>=<rpc url> …]

Starts everything on this machine: PostgreSQL, a local chain for each testnet with the contracts where the public ones
have them, funded relayers, indexer, API and worker. Ctrl-C stops it; the next start goes on where it stopped.

  --reset   throw away the database, the chains, the key and the logs first
  --fork <chainId>=<rpc url>
            continue a public chain from its present head, with the contracts that are there; may be repeated
  --help    show this

Environment:
  PORT          port of the API (default 3000, or a free one)
  DATABASE_URL  a PostgreSQL of your own instead of the embedded one
  LOCAL_DIR     where the data are kept (default .local)
  FORK_URL_<chainId>      another way to write --fork; Anvil shows the URL in the list of processes either way
  START_BLOCK_<chainId>   of a fork: where indexing begins (default: where it leaves the public chain)
Every setting of npm start that is not about chains or relayers works as well; .env is not read.`;

const resetWithOwnDatabase =
  '--reset would begin with new chains beside the old database of DATABASE_URL: empty that yourself and remove LOCAL_DIR';

const progress = createProgress((text) => process.stdout.write(`${text}\n`));
const directory = findDevDirectory(process.env);
const running = createRunningStack();
const starting = new AbortController();
let startup: Promise<unknown> = Promise.resolve();
let exitCode = 0;
let stopped: Promise<void> | undefined;

try {
  const { values } = parseArgs({
    options: {
      reset: { type: 'boolean', default: false },
      fork: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean' },
    },
  });
  if (values.help) console.log(help);
  else await run({ reset: values.reset, forks: readForks(values.fork, process.env) });
} catch (error) {
  await fail(error);
}

async function run({ reset, forks }: { reset: boolean; forks: Fork[] }): Promise<void> {
  const unlock = lockDevDirectory(directory.lockFile);
  process.once('exit', unlock);
  onStopRequest({
    stop: (cause) => {
      progress.note(`\nStopping (${cause}); once more to end everything at once.`);
      void stop();
    },
    force: () => {
      progress.warn('ending everything at once');
      void running.kill().then(() => process.exit(1));
    },
  });
  progress.note(`${styleText('bold', 'Agreements, locally')}  data in ${directory.root}`);
  const env = readDevVariables(process.env);
  if (reset) {
    if (env.DATABASE_URL) throw new ConfigurationError([resetWithOwnDatabase]);
    await endLeftProcesses(directory.processesFile);
    for (const path of directory.contents) rmSync(path, { recursive: true, force: true });
    progress.warn('threw away the data of earlier runs');
  }
  const { signal } = starting;
  const onBroken = (message: string) => void fail(new Error(message));
  const start = startDevStack({ directory, env, forks, progress, running, signal, onBroken });
  startup = start;
  progress.note(describeStack(await start, directory));
}

/** Reports the failure and stops what is running, with exit code 1. Failures during the stop are not reported. */
async function fail(error: unknown): Promise<void> {
  if (stopped) return await stopped;
  exitCode = 1;
  progress.fail(explain(error));
  await stop();
}

function stop(): Promise<void> {
  stopped ??= (async () => {
    starting.abort();
    // A part that is just starting is not in the list of running parts yet.
    await Promise.allSettled([startup]);
    await running.stop({
      stopped: (name) => progress.note(`  stopped ${name}`),
      failed: (name, error) => progress.warn(`${name} did not stop as it should: ${explain(error)}`),
    });
    process.exit(exitCode);
  })();
  return stopped;
}

/** An error's stack helps if the program is at fault, and hides the message if the machine is. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected = [ConfigurationError, DevLockedError, PortError].some((kind) => error instanceof kind);
  return isExpected || process.env.LOG_LEVEL !== 'debug' ? error.message : (error.stack ?? error.message);
}
