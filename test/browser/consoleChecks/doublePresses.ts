import type { Locator, Page, Request } from 'playwright-core';
import { type ConsoleWorld, createAccount, expectTrue, see } from './consoleWorld.ts';

/** Between the two clicks the service answers the first. */
const betweenMs = 200;

/**
 * A double click and two quick Enters do one thing, also if the first was answered before the second. A button
 * pressed by key keeps the focus while its request is under way, and afterwards.
 */
export async function pressTwice(world: ConsoleWorld): Promise<void> {
  const { client, baseUrl } = world;
  const webhook = await client.webhooks.create({ url: 'http://127.0.0.1:9/twice' });
  const { page, context } = await world.invite(createAccount());

  await page.goto(`${baseUrl}/console/keys`);
  await see(page, 'this session');
  const make = page.getByRole('button', { name: 'Create link' });
  const rows = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Revoke' }) });
  const before = await rows.count();
  await expectOne(page, 'POST', () => clickTwice(page, make));
  const label = page.getByLabel('Name', { exact: true });
  await label.focus();
  await expectOne(page, 'POST', () => enterTwice(page));
  await rows.nth(before + 1).waitFor();
  await make.focus();
  await page.keyboard.press('Enter');
  await rows.nth(before + 2).waitFor();
  await make.and(page.locator(':focus')).waitFor();
  await expectOne(page, 'DELETE', () => clickTwice(page, rows.first().getByRole('button')));

  await page.goto(`${baseUrl}/console/webhooks/${webhook.id}`);
  await expectOne(page, 'POST', () => clickTwice(page, page.getByRole('button', { name: 'Rotate secret' })));
  await clickTwice(page, page.getByRole('button', { name: 'Disable', exact: true }));
  await page.getByRole('button', { name: 'Enable', exact: true }).waitFor();
  await page.waitForTimeout(betweenMs);
  expectTrue(
    (await client.webhooks.get(webhook.id)).status === 'disabled',
    'disabled, and not enabled again',
  );
  await context.close();
}

async function clickTwice(page: Page, button: Locator): Promise<void> {
  await button.scrollIntoViewIfNeeded();
  const box = await button.boundingBox();
  if (!box) throw new Error('the button has no place');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
    await page.waitForTimeout(betweenMs);
  }
}

async function enterTwice(page: Page): Promise<void> {
  await page.keyboard.press('Enter');
  await page.waitForTimeout(betweenMs);
  await page.keyboard.press('Enter');
}

/** Expects one request of a method until the service has answered whatever is under way. */
async function expectOne(page: Page, method: string, act: () => Promise<void>): Promise<void> {
  const sent: string[] = [];
  const note = (request: Request) => {
    if (request.method() === method) sent.push(new URL(request.url()).pathname);
  };
  page.on('request', note);
  await act();
  await page.waitForTimeout(betweenMs * 3);
  page.off('request', note);
  expectTrue(sent.length === 1, `one ${method}, not ${sent.join(', ')}`);
}
