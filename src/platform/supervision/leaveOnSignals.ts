const signals: readonly string[] = ['SIGINT', 'SIGTERM'];

/**
 * Has a signal end this process at once, with exit code 0: there is nothing to clean up yet.
 *
 * @returns a function that leaves the signals to other code. Until that code handles a signal, the signal still ends the
 * process: without any handler a container's first process would ignore it.
 */
export function leaveOnSignals(): () => void {
  const leave = () => process.exit(0);
  for (const signal of signals) process.on(signal, leave);
  return () => {
    process.on('newListener', (event) => {
      if (typeof event !== 'string' || !signals.includes(event)) return;
      // The other handler is added after this event. Without any in between, Node would no longer hear the signal.
      process.nextTick(() => process.off(event, leave));
    });
  };
}
