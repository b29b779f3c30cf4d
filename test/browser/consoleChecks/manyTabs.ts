import { type ConsoleWorld, createAccount, see } from './consoleWorld.ts';
import { deployExample } from './pages.ts';

/** As a browser does with a tab behind another one; a headless one shows all of them. */
const turn = (hidden: boolean) => `(() => {
  Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
})()`;

/** More tabs than a browser opens connections to a server without HTTP/2: each loads, and the feed goes on when one is shown again. */
export async function openManyTabs(world: ConsoleWorld): Promise<void> {
  const { page, context } = await world.invite(createAccount(), undefined);
  await page.goto(`${world.baseUrl}/console/events`);
  await see(page, 'Live');
  await page.evaluate(turn(true));
  for (let tabs = 0; tabs < 8; tabs++) {
    const tab = await context.newPage();
    await tab.goto(`${world.baseUrl}/console/events`);
    await see(tab, 'Live');
    await tab.evaluate(turn(true));
  }
  const { displayName } = await deployExample(world, 'While the tab was hidden');
  await page.evaluate(turn(false));
  await see(page, displayName);
  await context.close();
}
