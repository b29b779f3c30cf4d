import type { Page } from 'playwright-core';
import { deployAgreement } from '../../../client/src/viem/index.ts';
import { exampleDocument } from '../../../console/src/author/exampleDocument.ts';
import { type ConsoleWorld, chainId, createAccount, expectTrue, see } from './consoleWorld.ts';
import { inspectLayout } from './inspectLayout.ts';

/** An agreement from the example between two wallets, in its first state. */
export async function deployExample({ client }: ConsoleWorld, displayName: string, rider = createAccount()) {
  const account = createAccount();
  return deployAgreement({
    client,
    account,
    agreement: exampleDocument,
    chainId,
    displayName,
    initValues: { bicycle: 'A red tandem' },
    participants: [
      { variableKey: 'owner', walletAddress: account.address },
      { variableKey: 'rider', walletAddress: rider.address },
    ],
  });
}

/**
 * Checks every page in light and narrow, and in dark and wide: axe finds nothing serious, and nothing is
 * wider than the screen.
 */
export async function lookAtPages(world: ConsoleWorld): Promise<void> {
  const record = await deployExample(world, 'Tandem for the summer');
  const webhook = await world.client.webhooks.create({ url: 'http://127.0.0.1:9/hook' });
  const { page, context } = await world.invite(createAccount());
  const { url } = await world.client.links.create(record.id, {
    may: 'sign',
    participant: 'rider',
    expiresInSeconds: 600,
  });
  const paths = [
    ...[
      'agreements',
      `agreements/${record.id}`,
      'author',
      'events',
      'webhooks',
      `webhooks/${webhook.id}`,
      'rules',
      'keys',
      'nowhere',
    ],
    'enter',
    'awaiting',
    'sign',
  ];
  const { faults } = world;
  await page.goto(url);
  await see(page, 'You act as Rider');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const path of paths) {
      const width = colorScheme === 'light' ? 360 : 1_280;
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${world.baseUrl}/console/${path}`);
      await page.locator('h1, .note').first().waitFor();
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      faults.push(...(await inspectLayout(page, `${path}, ${colorScheme}, ${width} wide`)));
    }
  }
  await context.close();
}

/** The console shows people and inputs by their names in the document, and addresses and ids on hover. */
export async function showNames(world: ConsoleWorld): Promise<void> {
  const rider = createAccount();
  const record = await deployExample(world, 'People by their names', rider);
  await world.client.agreements.update(record.id, { participantAccess: 'sign' });
  const { page, context } = await world.invite(rider);
  const row = page.getByRole('row').filter({ hasText: record.displayName });
  await row.getByText('Rider', { exact: true }).waitFor();
  expectTrue(
    !/0x[0-9a-f]{4}…/i.test((await row.locator('td').nth(2).textContent()) ?? ''),
    'no address there',
  );
  await row.getByTitle(rider.address).waitFor();
  await page.goto(`${world.baseUrl}/console/agreements/${record.id}`);
  const deployment = page.locator('.timeline li').filter({ hasText: 'Deployed' });
  await deployment.locator('time').waitFor();
  await page.goto(`${world.baseUrl}/console/awaiting`);
  await page.getByRole('button', { name: /^Connect/ }).click();
  // The wallet says its address in lower case.
  await page.locator('fieldset').getByTitle(rider.address, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Log in with this wallet' }).click();
  await see(page, 'Take the bicycle');
  await page.getByTitle('take', { exact: true }).waitFor();
  await context.close();
}

/** The filters of the list follow the address, also where a link changes it. */
export async function followAddress(world: ConsoleWorld): Promise<void> {
  const record = await deployExample(world, 'Found by its address');
  const { page, context } = await world.invite(createAccount());
  const find = page.getByLabel('Find', { exact: true });
  await find.fill('No agreement begins like this');
  await see(page, 'No agreement matches');
  await page.getByRole('link', { name: 'Agreements', exact: true }).last().click();
  await see(page, record.displayName);
  expectTrue((await find.inputValue()) === '', 'what is not filtered is not said to be');
  await page.goBack();
  await see(page, 'No agreement matches');
  expectTrue((await find.inputValue()) !== '', 'going back brings the filter back');
  const events = page.getByRole('link', { name: 'Events', exact: true });
  await events.click();
  await page.waitForURL('**/events');
  await events.click();
  await page.goBack();
  await see(page, 'No agreement matches');
  await turnOnce(world, page);
  await context.close();
}

/** The link to the next page, pressed again while that loads or soon after, leads there once. */
async function turnOnce({ baseUrl }: ConsoleWorld, page: Page): Promise<void> {
  let load = () => {};
  const loaded = new Promise<void>((resolve) => {
    load = resolve;
  });
  await page.route(/\/v0\/agreements\?/, async (route) => {
    const url = new URL(route.request().url());
    const isNext = url.searchParams.has('cursor');
    url.searchParams.delete('cursor');
    if (isNext) await loaded;
    const response = await route.fetch({ url: url.href });
    const { data, pageInfo } = await response.json();
    const nextCursor = isNext ? null : 'next';
    await route.fulfill({ response, json: { data, pageInfo: { ...pageInfo, nextCursor } } });
  });
  await page.goto(`${baseUrl}/console/agreements`);
  const next = page.getByRole('link', { name: 'Next' });
  await next.click();
  await page.waitForURL('**/agreements?cursor=next');
  await next.click();
  load();
  await next.waitFor({ state: 'detached' });
  await page.goBack();
  await next.waitFor();
  // The second click of a double, once the page is there.
  await next.click();
  await next.waitFor({ state: 'detached' });
  const first = page.getByRole('link', { name: 'First page' });
  await first.scrollIntoViewIfNeeded();
  const { x = 0, y = 0 } = (await first.boundingBox()) ?? {};
  await page.mouse.move(x + 5, y + 5);
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await page.goBack();
  await next.waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}

/** A service that asks for a long wait is quoted soon, and what was shown stays. A page that waits says what it is. */
export async function tellLimits(world: ConsoleWorld): Promise<void> {
  const record = await deployExample(world, 'Read while limited');
  const { page, context } = await world.invite(createAccount());
  const reads = /\/v0\/agreements/;
  const body = JSON.stringify({ error: { code: 'rate_limited', message: 'Too many read requests.' } });
  const headers = { 'retry-after': '50' };
  const soon = { timeout: 12_000 };
  await page.route(reads, (route) =>
    route.fulfill({ status: 429, contentType: 'application/json', headers, body }),
  );
  for (const path of ['agreements', `agreements/${record.id}`]) {
    await page.goto(`${world.baseUrl}/console/${path}`);
    await page.getByText('Too many read requests.').first().waitFor(soon);
  }
  await page.unroute(reads);
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await page.getByText(record.displayName).first().waitFor(soon);
  await page.route(reads, (route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }));
  await page.reload();
  await page.getByText('Something else answered for the service, with status 502').first().waitFor(soon);
  await page.unroute(reads);
  const webhook = await world.client.webhooks.create({ url: 'http://127.0.0.1:9/slow' });
  const answers = /\/v0\/(agreements|webhooks)\//;
  await page.route(answers, () => undefined);
  for (const [path, title] of [
    [`agreements/${record.id}`, 'Agreement'],
    [`webhooks/${webhook.id}`, 'Webhook'],
  ] as const) {
    await page.goto(`${world.baseUrl}/console/${path}`);
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor(soon);
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // The refusals are meant: they are no faults of the page.
  world.faults.splice(
    0,
    world.faults.length,
    ...world.faults.filter((fault) => !/status of (429|502)/.test(fault)),
  );
  await context.close();
}

/** Many wallets do not fill a narrow screen, and each of them can still be reached. */
export async function foldWallets(world: ConsoleWorld): Promise<void> {
  const { page, context } = await world.invite(createAccount(), `${world.baseUrl}/console/awaiting`);
  const buttons = page.getByRole('button', { name: /^Connect/ });
  const shown = async () => (await buttons.all()).length;
  await context.addInitScript(`addEventListener('eip6963:requestProvider', () => {
    for (let at = 1; at < 12; at++) {
      const info = { uuid: 'w' + at, name: 'Wallet ' + at, rdns: 'w' + at + '.example', icon: '' };
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider: { request: async () => [] } } }));
    }
  });`);
  await page.setViewportSize({ width: 360, height: 760 });
  await page.reload();
  await buttons.first().waitFor();
  const before = await shown();
  expectTrue(before === 4, `a narrow screen begins with ${before} wallets`);
  world.faults.push(...(await inspectLayout(page, 'many wallets, 360 wide')));
  await page.getByRole('button', { name: 'Show all 12' }).click();
  expectTrue((await shown()) === 12, 'all are shown');
  await page.reload();
  await page.setViewportSize({ width: 1_280, height: 800 });
  await buttons.nth(11).waitFor();
  await context.close();
}

/** As a key does that Enter follows at once: the text is shown, but no effect of that has run yet. */
const submitAtOnce = `(async () => {
  const area = document.querySelector('textarea');
  area.value = '{ "rules": [] }';
  area.dispatchEvent(new Event('input', { bubbles: true }));
  await Promise.resolve();
  area.form.requestSubmit();
})()`;

/** Goes from the API key to a chosen input with the keyboard alone. */
export async function walkByKeyboard(world: ConsoleWorld): Promise<void> {
  const record = await deployExample(world, 'By keys alone');
  const { page, context } = await world.invite(createAccount(), `${world.baseUrl}/console`);
  const { keyboard } = page;
  const focus = async (name: string | RegExp) => {
    for (let presses = 0; presses < 80; presses++) {
      await keyboard.press('Tab');
      const text: unknown = await page.evaluate(
        `(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.labels?.[0]?.textContent ?? document.activeElement?.textContent ?? '').trim()`,
      );
      if (typeof name === 'string' ? text === name : name.test(String(text))) return;
    }
    throw new Error(`no key leads to ${name}`);
  };
  await see(page, 'API key');
  await focus('API key');
  await keyboard.type(world.stack.apiKey);
  await keyboard.press('Enter');
  await see(page, record.displayName);
  await focus('Skip to the content');
  await focus(record.displayName);
  await keyboard.press('Enter');
  await page.waitForURL(`**/${record.id}`);
  await see(page, 'Take the bicycle');
  await focus(/^Diagram of the states/);
  const box = () => page.locator('svg[role="img"]').getAttribute('viewBox');
  const before = await box();
  await keyboard.press('+');
  await keyboard.press('ArrowDown');
  await page.locator(`svg[role="img"]:not([viewBox="${before}"])`).waitFor();
  const hasFocus = (name: string) =>
    page.locator('[aria-label="Possible now"] :is(h2, h3):focus', { hasText: name }).waitFor();
  await focus('Act: Take the bicycle');
  await keyboard.press('Enter');
  await hasFocus('Take the bicycle');
  await focus('Choose another');
  await keyboard.press('Enter');
  await hasFocus('Possible now');
  await focus('Act: Take the bicycle');
  await keyboard.press('Enter');
  await hasFocus('Take the bicycle');
  await focus('Note');
  await keyboard.type('By keys');
  await focus(/^Connect Test wallet/);
  await keyboard.press('Enter');
  await see(page, 'This wallet may not do this');
  await page.locator('fieldset :focus', { hasText: 'Test wallet is connected' }).waitFor();
  await world.client.sessions.createLink({ expiresInSeconds: 3_600, label: 'Lost at once' });
  await focus('Access');
  await keyboard.press('Enter');
  const row = page.getByRole('row', { name: 'Lost at once' });
  await row.waitFor();
  await focus('Revoke');
  await keyboard.press('Enter');
  await row.waitFor({ state: 'detached' });
  const focused = await page.evaluate('document.activeElement?.textContent');
  expectTrue(focused === 'Portal links', `the focus stays in the section, not at ${focused}`);
  await page.goto(`${world.baseUrl}/console/rules?agreement=${record.id}`);
  await focus('Run');
  await keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'There are no rules.' }).waitFor();
  await page.locator('textarea').fill('{ "rules": [] }');
  await page.getByText('There are no rules.').waitFor({ state: 'detached' });
  await page.locator('textarea').fill('');
  const asked = page.waitForRequest(/notifications/);
  await page.evaluate(submitAtOnce);
  const body = (await asked).postData() ?? '';
  expectTrue(body.includes('"rules":[]'), `what was typed last is sent, and not ${body}`);
  await context.close();
}
