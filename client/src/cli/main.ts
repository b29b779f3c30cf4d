import { text } from 'node:stream/consumers';
import { run } from './run.ts';

/** The process: streams, signals and the exit code. */
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

// Whoever read the output has gone, as `head` does: that is no failure.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });

const { env, stdout, stderr } = process;
const columns = stdout.isTTY ? stdout.columns : undefined;
const colours = env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : stdout.isTTY === true && !env.NO_COLOR;

process.exitCode = await run(process.argv.slice(2), {
  env,
  columns,
  colours,
  print: (line) => void stdout.write(`${line}\n`),
  printError: (line) => void stderr.write(`${line}\n`),
  readInput: () => text(process.stdin),
  stopped: stopping.signal,
});
