import type { BrowserContext, Page } from 'playwright-core';
import type { PageServer, Served } from './servePages.ts';

/** What a page has done, as seen from outside, where nothing that it does can hide it. */
export type Effects = {
  /** What it asked the network for, beside itself; without what never went out. */
  readonly requests: readonly string[];
  readonly scripts: readonly string[];
  readonly errors: readonly string[];
};

/** Why a request never left the browser: the policy, or a rule that holds on all pages. */
const blocked = ['csp', 'origin'];

export type Tab = {
  readonly page: Page;
  /** Opens a page in the place of the one before, whose effects are forgotten. */
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
