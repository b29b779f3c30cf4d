import { submitInput } from '../../../client/src/viem/index.ts';
import { createAnvilClient } from '../../support/anvilClient.ts';
import { watchPages } from '../support/watchPages.ts';
import { type ConsoleWorld, chainId, createAccount, expectTrue, see } from './consoleWorld.ts';
import { inspectLayout } from './inspectLayout.ts';
import { deployExample } from './pages.ts';

/** The operators' page: a transaction that no block includes leads to all known facts about it. */
export async function operate(world: ConsoleWorld): Promise<void> {
  const { stack, client, faults } = world;
  const chain = stack.chains.find((each) => each.chainId === chainId);
  if (!chain) throw new Error('the stack has no such chain');
  const anvil = createAnvilClient(chain.rpcUrl);
  const account = createAccount();
  const record = await deployExample(world, 'Watched by operators', account);
  const context = await world.browser.newContext();
  const watched = await watchPages(context, stack.internalUrls.api);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${stack.internalUrls.api}/`);
  await see(page, 'No transaction is waiting');
  await anvil.setAutomine(false);
  try {
    const sent = submitInput({
      ...{ client, account, agreementId: record.id, inputId: 'take' },
      values: { note: 'No block takes it' },
    });
    await page.getByRole('button', { name: /^Trace txn_/ }).click();
    await see(page, /attempt 1/);
    for (const [colorScheme, width] of [
      ['light', 360],
      ['light', 768],
      ['dark', 1_440],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      faults.push(...(await inspectLayout(page, `operators, ${colorScheme}, ${width} wide`)));
    }
    await anvil.mine({ blocks: 1 });
    await sent;
  } finally {
    await anvil.setAutomine(true);
  }
  await see(page, 'No transaction is waiting');
  const line = page.locator('.chart .line');
  await line.waitFor({ state: 'attached' });
  expectTrue((await page.locator('.tag.bad').count()) === 0, 'nothing is marked as bad');
  faults.push(...watched.faults);
  await context.close();
}
