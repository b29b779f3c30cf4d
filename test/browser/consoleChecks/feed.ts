import { type ConsoleWorld, createAccount, expectTrue, see } from './consoleWorld.ts';
import { deployExample } from './pages.ts';

/** The page of events says when it is live, and what is missing if the session may not read them. */
export async function followFeed(world: ConsoleWorld): Promise<void> {
  await deployExample(world, 'In the feed already');
  const reader = await world.invite(createAccount());
  await reader.page.goto(`${world.baseUrl}/console/events`);
  await see(reader.page, 'In the feed already');
  await reader.page.getByText('Live', { exact: true }).waitFor();
  await deployExample(world, 'Announced while open');
  await see(reader.page, 'Announced while open');
  await deployExample(world, 'Turned \u202earound');
  await see(reader.page, 'Turned ⟨U+202E⟩around');
  await reader.context.close();

  const capabilities = ['agreements.read' as const];
  const { url } = await world.client.sessions.createLink({ expiresInSeconds: 600, capabilities });
  const narrowed = await world.invite(createAccount(), url);
  await narrowed.page.waitForURL('**/console/agreements');
  await narrowed.page.goto(`${world.baseUrl}/console/events`);
  await narrowed.page.getByRole('alert').waitFor();
  expectTrue((await narrowed.page.getByText('Connecting').count()) === 0, 'it does not try for ever');
  const again = narrowed.page.getByRole('button', { name: 'Try again' });
  for (const path of ['events', 'webhooks']) {
    await narrowed.page.goto(`${world.baseUrl}/console/${path}`);
    await narrowed.page.getByRole('alert').waitFor();
    expectTrue((await again.count()) === 0, `${path}: trying again would not help`);
  }
  await narrowed.page.goto(`${world.baseUrl}/console/author`);
  await see(narrowed.page, 'Your session may not check or deploy documents');
  await narrowed.context.close();
  await beginElsewhere(world);
  await onlyCreateWebhooks(world);
}

/** A link without the agreements begins with a page that it includes. */
async function beginElsewhere(world: ConsoleWorld): Promise<void> {
  const capabilities = ['webhooks.read' as const];
  const { url } = await world.client.sessions.createLink({ expiresInSeconds: 600, capabilities });
  const { page, context } = await world.invite(createAccount(), url);
  await page.waitForURL('**/console/events');
  await page.getByText('Live', { exact: true }).waitFor();
  expectTrue((await page.getByRole('alert').count()) === 0, 'nothing is refused');
  await context.close();
}

/** A link that may create webhooks and not see them offers just that. */
async function onlyCreateWebhooks(world: ConsoleWorld): Promise<void> {
  const capabilities = ['webhooks.write' as const];
  const { url } = await world.client.sessions.createLink({ expiresInSeconds: 600, capabilities });
  const { page, context } = await world.invite(createAccount(), url);
  await page.waitForURL('**/console/webhooks');
  await see(page, 'Your session may create webhooks, but not see them');
  await page.getByLabel('Endpoint URL').fill('http://127.0.0.1:9/created');
  await page.getByRole('button', { name: 'Create' }).click();
  await see(page, 'This secret signs the deliveries');
  const { data } = await world.client.webhooks.list({ limit: 100 });
  for (const made of data) if (made.url.endsWith(':9/created')) await world.client.webhooks.disable(made.id);
  expectTrue((await page.getByRole('alert').count()) === 0, 'nothing is refused');
  await context.close();
}
