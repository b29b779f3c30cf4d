/**
 * Loaded into a child before its own program (`--import`): when the process that started it is gone, however that one
 * ended, the child stops as if it had been asked to, and ends by force where that takes too long.
 */
const graceMs = 10_000;

if (process.channel) {
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), graceMs).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  // Listening holds the channel open, which must not keep a child alive that has nothing else to do.
  process.channel.unref();
}
