import type { LocalStack } from '../../e2e/support/localStack.ts';
import { type ConsoleWorld, expectTrue, see } from './consoleWorld.ts';
import { type Opened, openAsRider, prepareAct, sign, stepDone } from './rider.ts';

const mayBeStored = /the service may have stored it already/;

/**
 * The service stores an input, and the page does not learn of it. Nothing is signed again: the page sends the same
 * signature again, also after it was cancelled, and the input counts once.
 */
export async function sendDoubtfulInputs(world: ConsoleWorld, local: LocalStack): Promise<void> {
  for (const check of [stopWorker, loseAnswers]) {
    const opened = await openAsRider(world);
    await check(opened, local);
    await expectOneInput(opened);
    await opened.rider.context.close();
  }
}

/** No worker signs the transaction for longer than the service and the page wait. */
async function stopWorker({ rider }: Opened, local: LocalStack): Promise<void> {
  const worker = local.processes()['the worker'];
  if (!worker) throw new Error('the worker has no process');
  await prepareAct(rider);
  process.kill(worker.pid, 'SIGSTOP');
  try {
    await sign(rider);
    // The page asks twice.
    await rider.page.getByText(mayBeStored).waitFor({ timeout: 120_000 });
    await see(rider.page, /The input is stored and will be sent/);
  } finally {
    process.kill(worker.pid, 'SIGCONT');
  }
  await rider.page.getByRole('button', { name: 'Send again' }).click();
  await stepDone(rider, 'Confirmed').waitFor();
}

/** The input reaches the service, but no answer comes back. */
async function loseAnswers({ rider }: Opened): Promise<void> {
  const { page } = rider;
  await prepareAct(rider);
  const inputs = '**/v0/agreements/*/input';
  await page.route(inputs, async (route) => {
    await route.fetch();
    await route.abort();
  });
  await sign(rider);
  await see(page, mayBeStored);
  await page.unroute(inputs);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Review what to sign' }).click();
  await see(page, mayBeStored);
  await page.getByRole('button', { name: 'Send again' }).click();
  await stepDone(rider, 'Confirmed').waitFor();
}

async function expectOneInput({ world, record, rider }: Opened): Promise<void> {
  const asked = rider.owner.asked.filter((method) => method === 'eth_signTypedData_v4');
  expectTrue(asked.length === 1, `the wallet signs once, and not ${asked.length} times`);
  const { data } = await world.client.agreements.listInputs(record.id);
  expectTrue(data.length === 1, `there is one input, and not ${data.length}`);
}
