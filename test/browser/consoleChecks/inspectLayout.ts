import type { Page } from 'playwright-core';
import { checkAxe } from '../support/checkAxe.ts';

/**
 * Lists the faults of a page in its present state: serious faults that axe finds, and content wider than the
 * screen.
 */
export async function inspectLayout(page: Page, where: string): Promise<string[]> {
  const faults = (await checkAxe(page)).map((fault) => `${where}: ${fault}`);
  const excess: unknown = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  if (Number(excess) > 0) faults.push(`${where}: ${excess} px wider than the screen`);
  return faults;
}
