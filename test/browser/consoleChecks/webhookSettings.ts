import { waitUntil } from '../../support/waitUntil.ts';
import { type ConsoleWorld, createAccount, expectTrue, see } from './consoleWorld.ts';

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
  await context.close();
}
