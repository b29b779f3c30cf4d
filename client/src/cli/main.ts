import { addAbortSignal } from 'node:stream';
import { exitCodes } from './cliError.ts';
import { readStandardInput } from './readFile.ts';
import { readHidden } from './readHidden.ts';
import { run } from './run.ts';

/** The process: streams, signals and the exit code. */
const stopping = new AbortController();
let stoppedBy: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stoppedBy ??= signal;
    stopping.abort();
  });

// A reader such as `head` has closed the output: that is no failure. What the command has found out stays its exit code.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? exitCodes.done);
    process.stderr.write(`error: The output cannot be written: ${error.message}\n`);
    process.exit(exitCodes.usage);
  });

const { env, stdout, stderr } = process;
/** COLUMNS decides, as in other programs; without it and without a terminal nothing is cut. */
const wanted = /^[1-9]\d{0,4}$/.test(env.COLUMNS ?? '') ? Number(env.COLUMNS) : undefined;
const columns = wanted ?? (stdout.isTTY ? stdout.columns : undefined);
const isScreen = stdout.isTTY === true;
const colours = env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : isScreen && !env.NO_COLOR;

process.exitCode = await run(process.argv.slice(2), {
  env,
  columns,
  colours,
  isScreen,
  print: (line) => void stdout.write(`${line}\n`),
  printError: (line) => void stderr.write(`${line}\n`),
  readInput: (wanted) => {
    if (process.stdin.isTTY) stderr.write(`Type or paste ${wanted}, then Enter and Ctrl-D:\n`);
    return readStandardInput(addAbortSignal(stopping.signal, process.stdin));
  },
  readSecret: (wanted) =>
    process.stdin.isTTY
      ? readHidden(`Type or paste ${wanted}, then Enter; it is not shown: `, stopping.signal)
      : readStandardInput(addAbortSignal(stopping.signal, process.stdin)),
  stopped: stopping.signal,
});

// A read of a pipe that gives nothing cannot be ended, and even `process.exit` would wait for it. A slow reader gets all
// of the output before.
if (stoppedBy)
  stdout.write('', () => setTimeout(() => stoppedBy && process.kill(process.pid, stoppedBy), 500).unref());
