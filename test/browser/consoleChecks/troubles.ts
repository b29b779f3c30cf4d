import type { Page } from 'playwright-core';
import { pingPong } from '../../../bench/pingPong.ts';
import { deployAgreement, submitInput } from '../../../client/src/viem/index.ts';
import { type ConsoleWorld, chainId, createAccount, expectTrue, see } from './consoleWorld.ts';
import { deployExample } from './pages.ts';

/**
 * Troubles outside the page: the same wallet acts elsewhere, a session that cannot be looked at, a lost connection. The page
 * explains each one in words, and the person can continue.
 */
export async function meetTroubles(world: ConsoleWorld): Promise<void> {
  const { client } = world;
  const account = createAccount();
  const record = await deployAgreement({
    client,
    account,
    agreement: pingPong,
    chainId,
    displayName: 'Troubles',
  });
  const { page, context } = await world.invite(account);
  await page.goto(`${world.baseUrl}/console/agreements/${record.id}`);
  const { state, acceptedInputs } = await client.agreements.getState(record.id);
  const [input] = acceptedInputs;
  if (!input) throw new Error('nothing is accepted');
  await page
    .getByRole('button', { name: /^Act: / })
    .first()
    .click();
  await page.getByLabel('note', { exact: true }).fill('From the page');
  await page.getByRole('button', { name: /^Connect/ }).click();
  await page.getByRole('button', { name: 'Review what to sign' }).click();
  await page.getByRole('button', { name: 'Sign in the wallet' }).waitFor();
  // Meanwhile the same wallet sends another input, which changes the agreement's state.
  const elsewhere = { agreementId: record.id, values: { note: 'From elsewhere' } };
  await submitInput({ client, account, inputId: input.inputId, ...elsewhere });
  await see(page, 'The agreement has changed since you opened this review');
  const moved = await client.agreements.getState(record.id);
  expectTrue(moved.state !== state, 'the agreement has moved');
  // The next nonce is prepared.
  await page.getByRole('button', { name: 'Review it again' }).click();
  await see(page, 'Valid once (nonce 1)');
  await page.getByRole('button', { name: 'Sign in the wallet' }).click();
  await see(page, `The agreement is now in ${state}`);

  // One read is refused, and then nobody can say whether the session has ended: the page stays.
  const denied = { error: { code: 'unauthorized', message: 'no', requestId: 'req_0' } };
  await page.route('**/v0/agreements/*/state', (route) => route.fulfill({ status: 401, json: denied }));
  await page.route('**/v0/sessions/current', (route) => route.fulfill({ status: 503, body: '' }));
  // The third look comes after the first has failed with its retry.
  for (let looks = 0; looks < 3; looks++) await page.waitForResponse('**/v0/sessions/current');
  await see(page, `The agreement is now in ${state}`);
  await page.unroute('**/v0/agreements/*/state');
  await page.unroute('**/v0/sessions/current');

  await context.setOffline(true);
  await see(page, 'shows the last known data');
  await context.setOffline(false);
  await page.getByText('shows the last known data').waitFor({ state: 'detached' });
  await turnHistory(page, async () => {
    const [next] = (await client.agreements.getState(record.id)).acceptedInputs;
    await submitInput({ client, account, inputId: next?.inputId ?? '', ...elsewhere });
  });
  await context.close();
  await endSession(world);
}

/** The rest of a history comes although the first request fails, and although an event comes during the next one. */
async function turnHistory(page: Page, act: () => Promise<unknown>): Promise<void> {
  let answer: 'fails' | 'waits' | 'comes' = 'fails';
  const waits = Promise.withResolvers<void>();
  let asked = 0;
  await page.route('**/inputs?*', async (route) => {
    const isNext = route.request().url().includes('cursor=');
    if (isNext) asked++;
    if (isNext && answer === 'waits') return waits.resolve();
    if (isNext && answer === 'fails') return route.fulfill({ status: 503, body: '' });
    const response = await route.fetch({
      url: route
        .request()
        .url()
        .replace(/cursor=\w+&?/, ''),
    });
    const { data, pageInfo } = await response.json();
    const json = isNext
      ? { data: [], pageInfo: { ...pageInfo, nextCursor: null } }
      : { data, pageInfo: { ...pageInfo, nextCursor: 'rest' } };
    await route.fulfill({ response, json });
  });
  await page.reload();
  const more = page.getByRole('button', { name: 'Show more' });
  await more.click();
  await see(page, 'Something else answered for the service, with status 503');
  answer = 'waits';
  asked = 0;
  await more.click();
  await waits.promise;
  answer = 'comes';
  await act();
  await page.locator('.timeline > li', { hasText: 'Deployed' }).waitFor();
  expectTrue(asked > 1, 'the rest is asked for again');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}

/** A session that ends while somebody writes: after the login the text is there again. */
async function endSession(world: ConsoleWorld): Promise<void> {
  const record = await deployExample(world, 'Written for long');
  const { page, context } = await world.invite(createAccount());
  await page.goto(`${world.baseUrl}/console/agreements/${record.id}`);
  const note = page.getByLabel('Note', { exact: true });
  const act = page.getByRole('button', { name: 'Act: Take the bicycle' });
  await act.click();
  await note.fill('Written for half an hour');
  await context.request.delete(`${world.baseUrl}/v0/sessions/current`, {
    headers: { 'x-agreements-session': '1', origin: world.baseUrl },
  });
  await see(page, 'Your session has ended');
  await page.getByLabel('API key').fill(world.stack.apiKey);
  await page.getByRole('button', { name: 'Log in' }).click();
  await act.click();
  expectTrue((await note.inputValue()) === 'Written for half an hour', 'what was typed is there again');
  await page.getByRole('button', { name: 'Choose another' }).click();
  await act.click();
  expectTrue((await note.inputValue()) === '', 'what was given up is gone');
  await context.close();
}
