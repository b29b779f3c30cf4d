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
