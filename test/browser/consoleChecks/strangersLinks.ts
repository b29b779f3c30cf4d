import type { Page } from 'playwright-core';
import { AgreementsClient } from '../../../client/src/index.ts';
import { type ConsoleWorld, createAccount, expectTrue, see } from './consoleWorld.ts';
import { createEmptyPrincipal } from './emptyPrincipal.ts';
import { inspectLayout } from './inspectLayout.ts';
import { deployExample } from './pages.ts';

const strangerName = 'Mallory Ltd. of the links';
const question = 'Use this link?';
const principalOf = (page: Page) => page.locator('.who span').first();

/**
 * Links from a stranger: nobody enters another account without having agreed, and declining changes nothing.
 */
export async function openStrangersLinks(world: ConsoleWorld): Promise<void> {
  const { baseUrl, stack } = world;
  const strangersKey = await createEmptyPrincipal(stack.databaseUrl, strangerName);
  const stranger = new AgreementsClient({ baseUrl, apiKey: strangersKey });
  const { principal } = await world.client.sessions.current();
  const scene = { world, stranger, name: principal.name };
  for (const check of [declineAndAccept, followOwnLinks, keepWallet, keepSessionBySigningLink])
    await check(scene);
}

type Scene = {
  readonly world: ConsoleWorld;
  readonly stranger: AgreementsClient;
  /** The name of the principal that is logged in first. */
  readonly name: string;
};

const linkOf = async (client: AgreementsClient, options: { label?: string } = {}) =>
  (await client.sessions.createLink({ expiresInSeconds: 600, ...options })).url;

async function declineAndAccept({ world, stranger, name }: Scene): Promise<void> {
  const { page, context } = await world.invite(createAccount());
  const sessionOf = async () => (await context.cookies()).map(({ value }) => value).join();
  const before = await sessionOf();
  const link = await linkOf(stranger, { label: `${'x'.repeat(150)} <img src=x onerror=window.hit=1>` });
  await page.goto(link);
  await see(page, question);
  expectTrue(!page.url().includes('agp_'), 'the secret is out of the address');
  const facts = await page.locator('.facts').innerText();
  expectTrue(facts.includes(name) && facts.includes(strangerName), `it is said who and who: ${facts}`);
  for (const width of [360, 1_440]) {
    await page.setViewportSize({ width, height: 800 });
    world.faults.push(...(await inspectLayout(page, `a stranger's link, ${width} wide`)));
  }
  await page.getByRole('button', { name: 'Keep my session' }).click();
  await page.waitForURL('**/console/agreements');
  await page.getByRole('heading', { name: 'Agreements' }).waitFor();
  expectTrue((await principalOf(page).innerText()) === name, 'the session is the same principal');
  expectTrue((await sessionOf()) === before, 'the cookie is the same');
  const waiting = (await stranger.sessions.listLinks()).data.length;
  expectTrue(waiting === 1, 'the link is not used up');

  // A link pasted over the address of an open page changes only the fragment of the address.
  await page.goto(`${world.baseUrl}/console/enter`);
  await see(page, 'This address holds no link');
  await page.evaluate(`location.hash = ${JSON.stringify(new URL(link).hash)}`);
  await page.getByRole('button', { name: 'Log in with the link' }).click();
  await page.waitForURL('**/console/agreements');
  await page.getByText(strangerName).waitFor();
  await context.close();
}

/** A link of the same principal asks no question, unless it would reduce what the session may do. */
async function followOwnLinks({ world, name }: Scene): Promise<void> {
  const { page, context } = await world.invite(createAccount());
  await page.goto(await linkOf(world.client));
  await page.waitForURL('**/console/agreements');
  const { url } = await world.client.sessions.createLink({
    expiresInSeconds: 600,
    capabilities: ['agreements.read'],
  });
  await page.goto(url);
  await see(page, 'with more permissions than this link has');
  await page.getByRole('button', { name: 'Keep my session' }).click();
  await page.getByRole('link', { name: 'Webhooks' }).waitFor();
  expectTrue((await principalOf(page).innerText()) === name, 'the session is the same principal');
  await context.close();
}

/** A person who is logged in with a wallet is asked too, and stays logged in. */
async function keepWallet({ world, stranger }: Scene): Promise<void> {
  const account = createAccount();
  const { page, context } = await world.invite(account, `${world.baseUrl}/console/awaiting`);
  await page.getByRole('button', { name: /^Connect/ }).click();
  await page.getByRole('button', { name: 'Log in with this wallet' }).click();
  await see(page, 'Logged in as');
  await page.goto(await linkOf(stranger));
  await see(page, question);
  const facts = await page.locator('.facts').innerText();
  expectTrue(facts.includes(account.address.slice(2, 6)), `the wallet is shown: ${facts}`);
  await page.getByRole('button', { name: 'Keep my session' }).click();
  await page.waitForURL('**/console/awaiting');
  await see(page, 'Logged in as');
  await page.goto(`${world.baseUrl}/console/agreements`);
  await see(page, 'API key');
  await context.close();
}

/** A signing link opens its one agreement and keeps the existing session. */
async function keepSessionBySigningLink({ world, name }: Scene): Promise<void> {
  const [shown, other] = [
    await deployExample(world, 'Shown first'),
    await deployExample(world, 'Shown then'),
  ];
  const open = async (id: string) =>
    (await world.client.links.create(id, { may: 'read', expiresInSeconds: 600 })).url;
  const { page, context } = await world.invite(createAccount());
  const tokens = async () => (await context.cookies()).map(({ value }) => value).join();
  const before = await tokens();
  await page.goto(await open(shown.id));
  await page.getByRole('heading', { name: 'Shown first' }).waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(new URL(await open(other.id)).hash)}`);
  await page.getByRole('heading', { name: 'Shown then' }).waitFor();
  expectTrue(!page.url().includes('agl_'), 'the secret is out of the address');
  expectTrue((await tokens()) === before, 'the cookies are as they were');
  await page.goto(`${world.baseUrl}/console/agreements`);
  await page.getByRole('heading', { name: 'Agreements' }).waitFor();
  expectTrue((await principalOf(page).innerText()) === name, 'the session is the same principal');
  await context.close();
}
