import type { BrowserContext, Page } from 'playwright-core';
import type { PageServer, Served } from './servePages.ts';

/** The effects of a page, observed from outside, where the page cannot hide them. */
export type Effects = {
  /**
   * The URLs that the page requested, without its own URL and without requests that never left the browser.
   */
  readonly requests: readonly string[];
  readonly scripts: readonly string[];
  readonly errors: readonly string[];
};

/** The reasons for which a request never leaves the browser: the policy, or a rule for all pages. */
const blocked = ['csp', 'origin'];

export type Tab = {
  readonly page: Page;
  /** Opens a page in place of the previous one, and forgets the previous one's effects. */
  show(served: Served): Promise<void>;
  readEffects(): Effects;
};

export async function openTab(context: BrowserContext, server: PageServer): Promise<Tab> {
  const page = await context.newPage();
  let own = '';
  let requests = new Set<string>();
  let scripts: string[] = [];
  let errors: string[] = [];
  page.on('request', (request) => {
    if (request.url() !== own) requests.add(request.url());
  });
  page.on('requestfailed', (request) => {
    if (blocked.includes(request.failure()?.errorText ?? '')) requests.delete(request.url());
  });
  page.on('download', (download) => requests.add(download.url()));
  page.on('popup', (popup) => scripts.push(`opened ${popup.url()}`));
  page.on('dialog', (dialog) => {
    scripts.push(`showed the dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => scripts.push(`threw ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return {
    page,
    async show(served) {
      own = server.serve(served);
      requests = new Set();
      scripts = [];
      errors = [];
      await page.goto(own);
    },
    readEffects: () => ({ requests: [...requests], scripts: [...scripts], errors: [...errors] }),
  };
}
