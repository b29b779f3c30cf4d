import { spawn } from 'node:child_process';

/**
 * Loaded into a child before its own program (`--import`). When the parent process is gone, however it ended,
 * the child stops as if it had been asked to. If that takes longer than 5 seconds, a separate process kills
 * the child and its children, because the child may hang, for example in writing to a log that nobody reads.
 */
const killWhenOverdue = `
left=50
while kill -0 "$1" 2>/dev/null && [ "$left" -gt 0 ]; do left=$((left - 1)); sleep 0.1; done
kill -9 "-$1" 2>/dev/null`;

if (process.channel) {
  process.once('disconnect', () => {
    const words = ['-c', killWhenOverdue, 'sh', String(process.pid)];
    spawn('/bin/sh', words, { detached: true, stdio: 'ignore' }).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  // Listening holds the channel open, but must not keep an otherwise finished child alive.
  process.channel.unref();
}
