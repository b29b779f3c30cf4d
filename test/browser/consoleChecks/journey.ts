import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../../support/waitUntil.ts';
import { type ConsoleWorld, createAccount, expectTrue, type Person, see } from './consoleWorld.ts';

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();

/**
 * Two people, each with a separate wallet and browser, bring an agreement from the author's page through a
 * signing link to its final state. On the way the author finds a planted error, a signer declines, and the
 * page rejects a wrong wallet.
 */
export async function playJourney(world: ConsoleWorld): Promise<void> {
  const [ownerAccount, riderAccount] = [createAccount(), createAccount()];
  const owner = await world.invite(ownerAccount);
  const id = await deploy(owner, riderAccount.address);
  const link = await makeLink(owner.page);
  const rider = await world.invite(createAccount(), link);
  await see(rider.page, 'You act as Rider');
  expectTrue(!rider.page.url().includes('agl_'), 'the secret is out of the address');
  await actAsRider(rider, riderAccount);
  // The other side's page updates by itself.
  await owner.page.getByText('LENT', { exact: true }).first().waitFor();
  await act(owner, 'Confirm the return', async () => {});
  await see(rider.page, 'has reached a final state');
  const { state } = await world.client.agreements.getState(id);
  expectTrue(state === 'RETURNED', `the state is ${state}`);
  await endLinks(world, { owner, rider, id });
  await owner.context.close();
  await rider.context.close();
}

async function deploy({ page, owner }: Person, rider: string): Promise<string> {
  await page.getByRole('link', { name: 'Author' }).click();
  await press(page, 'Begin with an example');
  await page.getByText('Valid', { exact: true }).waitFor();
  const editor = page.getByRole('textbox', { name: 'Document, as JSON' });
  const sound = await editor.inputValue();
  await editor.fill(sound.replace('"from": "LENT"', '"from": "LEND"'));
  await see(page, '1 error');
  await page.locator('.problems button').first().click();
  const start: unknown = await page.evaluate('document.activeElement?.selectionStart');
  const line = sound.slice(0, Number(start)).split('\n').length;
  expectTrue(sound.split('\n')[line - 1]?.includes('"from"') ?? false, 'the error leads to its place');
  await editor.fill(sound);
  await page.getByText('Valid', { exact: true }).waitFor();

  await page.getByRole('tab', { name: 'Simulate' }).click();
  const by = page.getByLabel('By', { exact: true });
  expectTrue((await by.inputValue()) === 'rider', 'the one who may send the input is chosen');
  const possible = await page.locator('optgroup[label="Possible now"] option').allTextContents();
  expectTrue(possible.join() === 'Take the bicycle', `possible now is ${possible.join()}`);
  await by.selectOption('owner');
  await page.getByLabel('Note', { exact: true }).fill('A first ride');
  await press(page, 'Simulate');
  await page.getByText('refused', { exact: true }).waitFor();
  await by.selectOption('rider');
  await page.getByLabel('Note', { exact: true }).fill('A first ride');
  await press(page, 'Simulate');
  await page.locator('[data-state="LENT"]').waitFor();

  await page.getByRole('tab', { name: 'Deploy' }).click();
  await press(page, /^Connect/);
  await press(page, 'Use the connected wallet: owner');
  await page.getByLabel('Wallet of Rider').fill(rider);
  await page.getByLabel('Bicycle', { exact: true }).fill('A red tandem');
  await press(page, 'Review what to sign');
  await compareDigests(page);
  await dropReviews(page, { editor, sound, rider });
  owner.declines = true;
  await press(page, 'Sign in the wallet');
  await see(page, 'You have declined');
  owner.declines = false;
  await press(page, 'Sign in the wallet');
  await page.getByRole('link', { name: 'Open the agreement' }).click();
  await page.waitForURL('**/agreements/agr_*');
  await page.getByText('OFFERED', { exact: true }).first().waitFor();
  return page.url().split('/').at(-1) ?? '';
}

type Written = { readonly editor: Locator; readonly sound: string; readonly rider: string };

/** Whatever changes what would be signed hides its review, until there is what was reviewed or it is reviewed again. */
async function dropReviews(page: Page, { editor, sound, rider }: Written): Promise<void> {
  const review = page.locator('[data-digest="here"]');
  const reviewAgain = async () => {
    await review.waitFor({ state: 'detached' });
    await press(page, 'Review what to sign');
    await compareDigests(page);
  };
  await press(page, 'Use the connected wallet: rider');
  await review.waitFor({ state: 'detached' });
  await page.getByLabel('Wallet of Rider').fill(rider);
  await review.waitFor();
  const before = await review.innerText();
  await editor.fill(sound.replace('"name": "Bicycle loan"', '"name": "Bicycle loan today"'));
  await reviewAgain();
  expectTrue((await review.innerText()) !== before, 'another document has another digest');
  await editor.fill(sound);
  await reviewAgain();
}

async function compareDigests(page: Page): Promise<void> {
  const here = await page.locator('[data-digest="here"]').innerText();
  const service = await page.locator('[data-digest="service"]').innerText();
  expectTrue(/^0x[0-9a-f]{64}$/.test(here) && here === service, 'the digests are the same');
}

async function makeLink(page: Page): Promise<string> {
  await page.getByLabel('For', { exact: true }).selectOption('rider');
  await press(page, 'Create link');
  const link = await page.locator('.note code').innerText();
  expectTrue(/\/console\/sign#agl_[0-9a-f]{64}$/.test(link), 'the link is shown');
  return link;
}

async function actAsRider(rider: Person, account: Person['owner']['account']): Promise<void> {
  const { page, owner } = rider;
  await press(page, 'Act: Take the bicycle');
  await page.getByLabel('Note', { exact: true }).fill('The rear lamp flickers.');
  await press(page, /^Connect/);
  await see(page, 'This link is for another wallet');
  expectTrue(
    await page.getByRole('button', { name: 'Review what to sign' }).isDisabled(),
    'a wrong wallet cannot sign',
  );
  owner.account = account;
  await press(page, 'Use another account');
  await finishAct(rider);
}

async function act(person: Person, name: string, fill: () => Promise<void>): Promise<void> {
  await press(person.page, `Act: ${name}`);
  await fill();
  await press(person.page, /^Connect/);
  await finishAct(person);
}

async function finishAct({ page, owner }: Person): Promise<void> {
  await press(page, 'Review what to sign');
  await compareDigests(page);
  owner.declines = true;
  await press(page, 'Sign in the wallet');
  await see(page, 'You have declined');
  owner.declines = false;
  await press(page, 'Sign in the wallet');
  await see(page, /The agreement is now in/);
  // In words too, not only in colour.
  await page.locator('.steps li.done', { hasText: 'Confirmed (done)' }).waitFor();
  await press(page, 'Done');
}

type Ending = { readonly owner: Person; readonly rider: Person; readonly id: string };

/** A revoked, expired or truncated link opens nothing. */
async function endLinks(world: ConsoleWorld, { owner, rider, id }: Ending): Promise<void> {
  await press(owner.page, 'Revoke');
  await see(owner.page, 'No active links');
  await rider.page.reload();
  await see(rider.page, 'This link is no longer valid');
  const { url } = await world.client.links.create(id, { may: 'read', expiresInSeconds: 1 });
  await waitUntil('the link has expired', async () => (await world.client.links.list(id)).data.length === 0);
  const late = await world.invite(createAccount(), url);
  await see(late.page, 'This link is no longer valid');
  await late.context.close();
  const cut = await world.invite(createAccount(), url.slice(0, -5));
  await see(cut.page, 'This address holds no link');
  await cut.context.close();
}
