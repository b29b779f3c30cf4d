import { type ConsoleWorld, createAccount, type Person } from './consoleWorld.ts';
import { deployExample } from './pages.ts';

const note = 'The rear lamp flickers.';

export type Opened = Awaited<ReturnType<typeof openAsRider>>;

/** A newly deployed example, opened by its rider. */
export async function openAsRider(world: ConsoleWorld) {
  const account = createAccount();
  const record = await deployExample(world, 'Outages', account);
  const rider = await world.invite(account);
  await rider.page.goto(`${world.baseUrl}/console/agreements/${record.id}`);
  return { world, record, rider, account };
}

export const stepDone = ({ page }: Person, name: string) => page.locator('.steps li.done', { hasText: name });
export const stateShown = ({ page }: Person, state: string) =>
  page.locator('.page-head .tag', { hasText: state });

/** Prepares the input up to the signature; the caller signs. */
export async function prepareAct({ page }: Person): Promise<void> {
  await page.getByRole('button', { name: 'Act: Take the bicycle' }).click();
  await page.getByLabel('Note', { exact: true }).fill(note);
  await page.getByRole('button', { name: /^Connect/ }).click();
  await page.getByRole('button', { name: 'Review what to sign' }).click();
  await page.locator('.digest').waitFor();
}

export const sign = ({ page }: Person) => page.getByRole('button', { name: 'Sign in the wallet' }).click();
