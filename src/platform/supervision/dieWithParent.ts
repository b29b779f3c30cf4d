import { spawn } from 'node:child_process';

/**
 * Loaded into a child before its own program (`--import`): when the process that started it is gone, however that one
 * ended, the child stops as if it had been asked to. Where that takes longer than 5 seconds it is killed, with whatever it
 * has started: by a process of its own, since the child may hang, for example in writing to a log that nobody reads.
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
  // Listening holds the channel open, which must not keep a child alive that has nothing else to do.
  process.channel.unref();
}
