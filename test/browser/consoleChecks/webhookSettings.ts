import type { Page } from 'playwright-core';
import { AgreementsClient } from '../../../client/src/index.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type ConsoleWorld, createAccount, expectTrue, see } from './consoleWorld.ts';
import { createEmptyPrincipal } from './emptyPrincipal.ts';

/** What is typed into a webhook's settings stays while the webhook changes, and is there once it is saved. */
export async function keepWebhookSettings(world: ConsoleWorld): Promise<void> {
  const { client } = world;
  const { id } = await client.webhooks.create({ url: 'http://127.0.0.1:9/settings' });
  const { page, context } = await world.invite(createAccount());
  await page.goto(`${world.baseUrl}/console/webhooks/${id}`);
  const inputs = page.getByLabel('Inputs', { exact: true });
  await inputs.fill('take');
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Enable' }).waitFor();
  expectTrue((await inputs.inputValue()) === 'take', 'what was typed stays');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await see(page, 'Saved.');
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();
  await see(page, 'Saved.');
  // A change from elsewhere shows in a form without changes of its own.
  await client.webhooks.update(id, { filters: { inputIds: ['return'] } });
  await waitUntil('it shows', async () => (await inputs.inputValue()) === 'return');
  await page.emulateMedia({ media: 'print' });
  expectTrue(await inputs.isVisible(), 'the settings are printed');
  await context.close();
  await listManyWebhooks(world);
}

/** Disabled webhooks stay in the list, which may so become longer than a page. */
async function listManyWebhooks(world: ConsoleWorld): Promise<void> {
  const apiKey = await createEmptyPrincipal(world.stack.databaseUrl, `many webhooks ${Date.now()}`);
  const client = new AgreementsClient({ baseUrl: world.baseUrl, apiKey });
  for (let at = 0; at < 101; at++) {
    const { id } = await client.webhooks.create({ url: `http://127.0.0.1:9/${at}` });
    await client.webhooks.disable(id);
  }
  const { url } = await client.sessions.createLink({ expiresInSeconds: 600 });
  const { page, context } = await world.invite(createAccount(), url);
  await page.waitForURL('**/console/agreements');
  await page.goto(`${world.baseUrl}/console/webhooks`);
  const rows = page.locator('tbody tr.item');
  await rows.nth(99).waitFor();
  await page.emulateMedia({ media: 'print' });
  await see(page, 'There is more, which is not printed here.');
  await page.emulateMedia({ media: 'screen' });
  await failOnce(page);
  await page.getByRole('button', { name: 'Show more' }).click();
  await rows.nth(100).waitFor();
  await context.close();
}

/** Why the rest does not come is said once, until the list has been read again. */
async function failOnce(page: Page): Promise<void> {
  const isRead = Promise.withResolvers<void>();
  const mayRead = Promise.withResolvers<void>();
  await page.route(/\/v0\/webhooks\?/, async (route) => {
    if (route.request().url().includes('cursor=')) return route.fulfill({ status: 503, body: '' });
    isRead.resolve();
    await mayRead.promise;
    return route.continue();
  });
  await page.getByRole('button', { name: 'Show more' }).click();
  await see(page, 'with status 503');
  await isRead.promise;
  const alerts = await page.getByRole('alert').allInnerTexts();
  expectTrue(alerts.length === 1, `it is said once, and not: ${alerts.join(' ')}`);
  mayRead.resolve();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}
