import { AgreementsClient } from '../../../client/src/index.ts';
import { type ConsoleWorld, createAccount, expectTrue, see } from './consoleWorld.ts';
import { createEmptyPrincipal } from './emptyPrincipal.ts';
import { deployExample } from './pages.ts';

const otherName = 'The next at this desk';

/**
 * Several people use one browser: a session shows nothing that an earlier session left in its tabs or in the
 * storage.
 */
export async function shareBrowser(world: ConsoleWorld): Promise<void> {
  const { baseUrl, stack } = world;
  const record = await deployExample(world, 'Seen by the first alone');
  const otherKey = await createEmptyPrincipal(stack.databaseUrl, otherName);
  const other = new AgreementsClient({ baseUrl, apiKey: otherKey });
  const { page, context } = await world.invite(createAccount());
  await page.getByRole('link', { name: 'Author' }).click();
  const editor = page.getByRole('textbox', { name: 'Document, as JSON' });
  await page.getByRole('button', { name: 'Begin with an example' }).click();
  await page.getByText('Valid', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Agreements', exact: true }).last().click();
  await see(page, record.displayName);

  const second = await context.newPage();
  second.setDefaultTimeout(60_000);
  await second.goto((await other.sessions.createLink({ expiresInSeconds: 600 })).url);
  await second.getByRole('button', { name: 'Log in with the link' }).click();
  await see(second, otherName);
  await see(page, otherName);
  await page.getByText(record.displayName).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Author' }).click();
  await editor.waitFor();
  expectTrue((await editor.inputValue()) === '', 'the document of the former user is not shown');

  // If the log-out request fails, the page does not claim that the session has ended.
  await context.route('**/v0/sessions/current', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill({ status: 503, body: '{}' }) : route.continue(),
  );
  await second.getByRole('button', { name: 'Log out' }).click();
  await second.getByRole('alert').waitFor();
  await see(second, otherName);
  await context.unroute('**/v0/sessions/current');
  await second.getByRole('button', { name: 'Log out' }).click();
  await see(second, 'API key');
  await see(page, 'Your session has ended');
  await context.close();
}
