import type { Page } from 'playwright-core';
import { checkAxe } from '../support/checkAxe.ts';

/** What is wrong with a page as it stands: what axe finds serious, and anything wider than the screen. */
export async function inspectLayout(page: Page, where: string): Promise<string[]> {
  const faults = (await checkAxe(page)).map((fault) => `${where}: ${fault}`);
  const excess: unknown = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  if (Number(excess) > 0) faults.push(`${where}: ${excess} px wider than the screen`);
  return faults;
}
