import { type ConsoleWorld, createAccount, expectTrue, type Person, see } from './consoleWorld.ts';

/**
 * One side prepares a deployment, and the other side signs it through a link. Then the signer logs in with
 * the wallet and finds the agreement in the list of everything that awaits a signature. After the end of the
 * session the page leads to the login, and the next wallet sees nothing of the former one.
 */
export async function signDraft(world: ConsoleWorld): Promise<void> {
  const [author, signer] = [createAccount(), createAccount()];
  const { page, context } = await world.invite(author);
  await page.getByRole('link', { name: 'Author' }).click();
  await page.getByRole('button', { name: 'Begin with an example' }).click();
  await page.getByText('Valid', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Deploy' }).click();
  await page.getByLabel('Name of the agreement').fill('Prepared for another');
  await page.getByLabel('Wallet of Owner').fill(signer.address);
  await page.getByLabel('Wallet of Rider').fill(author.address);
  await page.getByLabel('Bicycle', { exact: true }).fill('A red tandem');
  await page.getByLabel('Participants who log in').selectOption('sign');
  await page.getByLabel('Who signs').selectOption('other');
  await page.getByLabel('Wallet of the signer').fill(signer.address);
  await page.getByRole('button', { name: 'Create draft and link' }).click();
  const link = await page.locator('.note code').innerText();

  const other = await world.invite(createAccount(), link);
  await see(other.page, 'Waiting for a signature');
  await other.page.getByRole('button', { name: /^Connect/ }).click();
  await see(other.page, 'Only this wallet signs it');
  other.owner.account = signer;
  await other.page.getByRole('button', { name: 'Use another account' }).click();
  await other.page.getByRole('button', { name: 'Review what to sign' }).click();
  await other.page.locator('h3:focus', { hasText: 'You are about to sign' }).waitFor();
  await other.page.getByRole('button', { name: 'Sign in the wallet' }).click();
  await other.page.getByText('OFFERED', { exact: true }).first().waitFor();
  await other.page.locator('h2:focus', { hasText: 'Possible now' }).waitFor();

  await other.page.goto(`${world.baseUrl}/console/awaiting`);
  await other.page.getByRole('button', { name: /^Connect/ }).click();
  await other.page.getByRole('button', { name: 'Log in with this wallet' }).click();
  await other.page.getByRole('link', { name: 'Prepared for another' }).click();
  await see(other.page, 'Take the bicycle');
  expectTrue(
    (await other.page.getByRole('button', { name: /^Act/ }).count()) === 0,
    'what only the rider can send is not offered to the owner',
  );
  const cookies = await other.context.cookies();
  expectTrue(
    cookies.every(({ httpOnly }) => httpOnly),
    'no script reads the cookie',
  );
  await changeWallets(other, signer);
  await context.close();
  await other.context.close();
}

/** On the page of an agreement of the first wallet: its session ends, and then another wallet logs in. */
async function changeWallets(
  { page, context, owner }: Person,
  first: Person['owner']['account'],
): Promise<void> {
  const agreement = page.getByText('Prepared for another');
  const login = page.getByRole('button', { name: 'Log in with this wallet' });
  await context.clearCookies();
  await see(page, 'Your session has ended');
  await agreement.first().waitFor({ state: 'detached' });
  for (const account of [createAccount(), first, createAccount()]) {
    owner.account = account;
    await page.getByRole('button', { name: /^Connect/ }).click();
    await login.click();
    if (account === first) await agreement.first().waitFor();
    else {
      await see(page, 'The agreement does not exist');
      expectTrue((await agreement.count()) === 0, 'nothing of it is shown to another wallet');
    }
    await page.getByRole('button', { name: 'Log out' }).click();
    await login.waitFor();
  }
}
