import { pingPong } from '../../../bench/pingPong.ts';
import { deployAgreement, submitInput } from '../../../client/src/viem/index.ts';
import { type ConsoleWorld, chainId, createAccount, expectTrue, see } from './consoleWorld.ts';

/**
 * Failures outside the page: a refusal, a lost connection, an unreachable node. The page explains each one in
 * words, and the person can continue.
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
  await submitInput({
    client,
    account,
    agreementId: record.id,
    inputId: input.inputId,
    values: { note: 'From elsewhere' },
  });
  await page.getByRole('button', { name: 'Sign in the wallet' }).click();
  await page.getByRole('alert').waitFor();
  const refusal = await page.getByRole('alert').innerText();
  expectTrue(
    /does not take this input|has acted meanwhile/.test(refusal),
    `the refusal is told in words: ${refusal}`,
  );
  const moved = await client.agreements.getState(record.id);
  expectTrue(moved.state !== state, 'the agreement has moved');

  await context.setOffline(true);
  await see(page, 'shows the last known data');
  await context.setOffline(false);
  await page.getByText('shows the last known data').waitFor({ state: 'detached' });
  await context.close();
}
