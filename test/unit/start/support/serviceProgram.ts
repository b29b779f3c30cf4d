import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '../../../../src/platform/log/createLogger.ts';
import { runService } from '../../../../src/platform/supervision/runService.ts';

/** A service of three parts that prints its steps. Its argument says what fails. */
const [fault] = process.argv.slice(2);
const print = (text: string) => process.stdout.write(`${text}\n`);

runService({
  logger: createLogger({ level: 'info', name: 'program' }),
  closeTimeoutMs: fault?.startsWith('hang') ? 300 : 60_000,
  async start(onClose) {
    // Keeps the process alive, like an open resource of a real service.
    const timer = setInterval(() => {}, 1_000);
    onClose({ name: 'timer', close: () => clearInterval(timer) });
    for (const name of ['first', 'second']) {
      onClose({
        name,
        async close() {
          print(`closing ${name}`);
          if (fault === `ask again ${name}`) await askAgain();
          if (fault === `hang ${name}`) await new Promise(() => {});
          if (fault === `fail ${name}`) throw new Error('it does not close');
          await delay(1);
          print(`closed ${name}`);
        },
      });
    }
    if (fault === 'stop at start') {
      const heard = once(process, 'SIGTERM');
      process.kill(process.pid, 'SIGTERM');
      await heard;
      throw new Error('a part that is needed is closed');
    }
    if (fault === 'start') throw new Error('it does not start');
    if (fault === 'rejection') setTimeout(() => void Promise.reject(new Error('nobody waits for this')), 1);
    if (fault === 'exception')
      setTimeout(() => {
        throw new Error('nobody catches this');
      }, 1);
  },
});

/** Asks this process to stop, a minute after the first time by its clock. */
async function askAgain(): Promise<void> {
  const now = Date.now;
  Date.now = () => now() + 60_000;
  const heard = once(process, 'SIGTERM');
  process.kill(process.pid, 'SIGTERM');
  await heard;
}
