import type { Browser, BrowserContext, Page } from 'playwright-core';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { AgreementsClient } from '../../../client/src/index.ts';
import type { DevStack } from '../../../src/cli/dev/devStack.ts';
import { injectWallet, type Owner } from '../support/browserWallet.ts';
import { watchPages } from '../support/watchPages.ts';

export const chainId = 59_141;
export const createAccount = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey());

/** A person with a separate browser context, a page and a wallet. */
export type Person = { readonly context: BrowserContext; readonly page: Page; readonly owner: Owner };

export type ConsoleWorld = Awaited<ReturnType<typeof createConsoleWorld>>;

/** A running service, a browser, and people who use it. Collects the faults of all their pages. */
export async function createConsoleWorld(stack: DevStack, browser: Browser) {
  const { baseUrl, apiKey } = stack;
  const client = new AgreementsClient({ baseUrl, apiKey });
  const faults: string[] = [];
  return {
    stack,
    browser,
    baseUrl,
    client,
    faults,
    /** @param link the start page; by default a portal link that logs the person in. */
    async invite(account: PrivateKeyAccount, link?: string, walletName?: string): Promise<Person> {
      const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
      const watched = await watchPages(context, baseUrl);
      // All contexts share one list, so that no fault is lost when a context closes.
      watched.faults.push = (...found) => faults.push(...found);
      const owner = await injectWallet(context, account, walletName);
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      const start = link ?? (await client.sessions.createLink({ expiresInSeconds: 600 })).url;
      await page.goto(start);
      if (link === undefined) await page.waitForURL('**/console/agreements');
      return { context, page, owner };
    },
  };
}

/** @throws Error with the expectation, if it is not met. */
export function expectTrue(isMet: boolean, what: string): void {
  if (!isMet) throw new Error(`not as expected: ${what}`);
}

/** Waits until a text is visible on a page. */
export async function see(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).filter({ visible: true }).first().waitFor();
}
