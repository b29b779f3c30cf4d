import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { AgreementsClient } from '../../client/src/index.ts';
import { deployAgreement } from '../../client/src/viem/index.ts';
import { exampleDocument } from '../../console/src/author/exampleDocument.ts';
import { findDevDirectory } from '../../src/cli/dev/devDirectory.ts';
import { findRunningDevStack } from '../../src/cli/dev/devStack.ts';
import { chainId, createAccount, createConsoleWorld } from './consoleChecks/consoleWorld.ts';
import { createEmptyPrincipal } from './consoleChecks/emptyPrincipal.ts';
import { longDocument } from './consoleChecks/longDocument.ts';
import { deployExample } from './consoleChecks/pages.ts';
import { openBrowser } from './support/openBrowser.ts';

/**
 * Takes a picture of every page of the console of the running development stack, for a person to look
 * through: with content, with long and right-to-left names, empty, and failing; narrow and light, wide and
 * dark.
 *
 *     npm run console:gallery -- /tmp/gallery [part of a name] [swapped]
 *
 * `swapped` takes the narrow pictures dark and the wide ones light.
 */
const [folder, wanted = '', swapped] = process.argv.slice(2);
const stack = findRunningDevStack(findDevDirectory(process.env));
if (folder === undefined) throw new Error('Name a folder for the pictures.');
if (!stack) throw new Error('No development stack runs: start one with npm run dev.');
mkdirSync(folder, { recursive: true });

type Prepare = (page: Page) => Promise<unknown>;
const forms = [
  { width: 360, height: 760, colorScheme: 'light' },
  { width: 768, height: 900, colorScheme: 'light' },
  { width: 1_440, height: 900, colorScheme: 'dark' },
] as const;

async function shoot(page: Page, name: string, url: string, prepare: Prepare = async () => {}) {
  if (!name.includes(wanted)) return;
  for (const { colorScheme: usual, ...size } of forms) {
    const colorScheme = swapped === undefined ? usual : usual === 'dark' ? 'light' : 'dark';
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    await page.goto(url);
    await page.locator('h1, .note').first().waitFor();
    await prepare(page);
    await page
      .locator('[aria-busy="true"]')
      .first()
      .waitFor({ state: 'detached', timeout: 10_000 })
      .catch(() => undefined);
    await page.waitForTimeout(300);
    await page.screenshot({
      path: join(folder ?? '', `${name}-${size.width}-${colorScheme}.png`),
      fullPage: true,
    });
  }
  console.log(name);
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();
const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();

const browser = await openBrowser();
try {
  const world = await createConsoleWorld(stack, browser);
  const { client } = world;
  const at = (path: string) => `${world.baseUrl}/console/${path}`;
  const account = createAccount();
  const record = await deployExample(world, 'Tandem for the summer', account);
  const long = await deployAgreement({
    client,
    account,
    chainId,
    ...longDocument,
    participants: [{ variableKey: 'owner', walletAddress: account.address }],
  });
  const webhook = await client.webhooks.create({ url: 'http://127.0.0.1:9/hook' });
  await client.webhooks.test(webhook.id);
  const { url: link } = await client.links.create(record.id, {
    may: 'sign',
    participant: 'rider',
    expiresInSeconds: 86_400,
    note: 'For the rider, by letter',
  });
  const { page } = await world.invite(account);
  const choose = async () => {
    await press(page, /^Act: /);
    await page.getByLabel('Note', { exact: true }).fill('The rear lamp flickers.');
  };
  const write = async () => {
    await press(page, 'Begin with an example');
    await page.getByText('Valid', { exact: true }).waitFor();
  };
  await shoot(page, 'agreements', at('agreements'), () =>
    page.getByText(record.displayName).first().waitFor(),
  );
  await shoot(page, 'agreements-none', at('agreements?state=NOWHERE'));
  await shoot(page, 'agreement', at(`agreements/${record.id}`), () => page.locator('.prose').waitFor());
  await shoot(page, 'agreement-table', at(`agreements/${record.id}`), () => press(page, 'Show as a table'));
  await shoot(page, 'agreement-act', at(`agreements/${record.id}`), async () => {
    await choose();
    await page.getByText('It would be accepted').waitFor();
  });
  await shoot(page, 'agreement-sign', at(`agreements/${record.id}`), async () => {
    await choose();
    await press(page, /^Connect/);
    await press(page, 'Review what to sign');
    await page.locator('.digest').waitFor();
  });
  await shoot(page, 'agreement-evidence', at(`agreements/${record.id}`), async () => {
    await press(page, 'Check it in this browser');
    await page.getByText('Who signed what').waitFor();
  });
  await shoot(page, 'agreement-long', at(`agreements/${long.id}`), () => page.locator('.prose').waitFor());
  await shoot(page, 'agreement-unknown', at(`agreements/agr_${'0'.repeat(32)}`));
  await shoot(page, 'author', at('author'), write);
  await shoot(page, 'author-errors', at('author'), async () => {
    const editor = page.getByRole('textbox', { name: 'Document, as JSON' });
    await editor.fill(JSON.stringify(exampleDocument, null, 2).replace('"from": "LENT"', '"from": "LEND"'));
    await page.getByText('1 error').waitFor();
  });
  for (const name of ['Diagram', 'Analysis', 'Simulate', 'Deploy'])
    await shoot(page, `author-${name.toLowerCase()}`, at('author'), async () => {
      await write();
      await tab(page, name);
    });
  await shoot(page, 'events', at('events'), () => page.locator('tbody tr').first().waitFor());
  await shoot(page, 'webhooks', at('webhooks'));
  await shoot(page, 'webhook', at(`webhooks/${webhook.id}`));
  await shoot(page, 'rules', at(`rules?agreement=${record.id}`));
  await shoot(page, 'keys', at('keys'));
  await shoot(page, 'unknown-page', at('nowhere'));
  await shoot(page, 'awaiting-login', at('awaiting'));
  const operators = await (await browser.newContext()).newPage();
  await shoot(operators, 'operators', `${stack.internalUrls.api}/`, (shown) => shown.waitForTimeout(4_500));
  await shoot(operators, 'operators-trace', `${stack.internalUrls.api}/`, async (shown) => {
    await shown.getByRole('textbox').fill(record.id);
    await press(shown, 'Trace');
    await shown.locator('pre').waitFor();
  });

  const guest = await world.invite(account, link);
  await shoot(guest.page, 'shared', link, (shown) => shown.locator('.prose').waitFor());
  await shoot(guest.page, 'shared-gone', `${at('sign')}#agl_${'0'.repeat(64)}`, (shown) => shown.reload());
  await shoot(guest.page, 'login', at('agreements'));
  await shoot(guest.page, 'enter-gone', `${at('enter')}#agp_${'0'.repeat(64)}`, (shown) => shown.reload());

  const apiKey = await createEmptyPrincipal(stack.databaseUrl, `newcomer ${Date.now()}`);
  const newcomer = new AgreementsClient({ baseUrl: world.baseUrl, apiKey });
  const { url: first } = await newcomer.sessions.createLink({ expiresInSeconds: 600 });
  const empty = await world.invite(account, first);
  await empty.page.waitForURL('**/console/agreements');
  for (const name of ['agreements', 'author', 'events', 'webhooks', 'rules', 'keys'])
    await shoot(empty.page, `empty-${name}`, at(name), (shown) => shown.waitForTimeout(1_000));

  // The session can still be read; every other request fails.
  await page.route(/\/v0\/(?!sessions\/current)/, (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: JSON.stringify({ error: { code: 'unavailable', message: 'The database does not answer.' } }),
    }),
  );
  for (const name of [
    'agreements',
    `agreements/${record.id}`,
    'author',
    'events',
    'webhooks',
    'rules',
    'keys',
  ])
    await shoot(page, `failing-${name.replace(/\/.*/, '-one')}`, at(name), (shown) =>
      shown.waitForTimeout(6_000),
    );
  await page.unroute(/\/v0\/(?!sessions\/current)/);
  for (const fault of new Set(world.faults)) console.error(fault);
} finally {
  await browser.close();
}
