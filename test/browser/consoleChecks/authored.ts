import type { Page } from 'playwright-core';
import { exampleDocument } from '../../../console/src/author/exampleDocument.ts';
import { type ConsoleWorld, createAccount, expectTrue, see } from './consoleWorld.ts';
import { openFile } from './openFile.ts';

const hidden = '\u202e000,01\u202c';

/** Who deploys somebody else's document sees what its source in the editor hides. */
export async function reviewAuthored(world: ConsoleWorld): Promise<void> {
  const account = createAccount();
  const { page, context } = await world.invite(account);
  await page.goto(`${world.baseUrl}/console/author`);
  await refuseRepeatedNames(page);
  await showHiddenText(page, account.address);
  await context.close();
}

/** The browser would keep the last of two values, and the reader may stop at the first. */
async function refuseRepeatedNames(page: Page): Promise<void> {
  const source = JSON.stringify(exampleDocument, null, 2);
  const other = '"content": { "type": "md", "data": "The rider owes 10,000." }';
  await openFile(page, source.replace(/\n\}$/, `,\n  ${other}\n}`));
  await see(page, '“content” is already in this object');
  await page.getByRole('tab', { name: 'Deploy' }).click();
  await see(page, 'Fix the errors in the document first.');
}

async function showHiddenText(page: Page, owner: string): Promise<void> {
  const { content } = exampleDocument;
  const variables = {
    ...exampleDocument.variables,
    insured: { type: 'bool', name: 'Insured', validation: { required: true } },
  };
  const { initialize } = exampleDocument.execution;
  const data = { ...initialize.data, insured: `\${variables.insured}` };
  const document = {
    ...exampleDocument,
    variables,
    content: { ...content, data: `${content.data}\n\nThe deposit is ${hidden}.` },
    execution: { ...exampleDocument.execution, initialize: { ...initialize, data } },
  };
  await openFile(page, JSON.stringify(document, null, 2));
  await page.getByText('Valid', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Deploy' }).click();
  await page.getByLabel('Wallet of Owner').fill(owner);
  await page.getByLabel('Wallet of Rider').fill(createAccount().address);
  await page.getByLabel('Bicycle', { exact: true }).fill('A red tandem');
  await page.getByRole('button', { name: /^Connect/ }).click();
  const review = page.getByRole('button', { name: 'Review what to sign' });
  expectTrue(await review.isDisabled(), 'whether it is insured has to be chosen');
  await page.getByLabel('Insured', { exact: true }).selectOption('true');
  await review.click();
  await page.locator('.digest').waitFor();
  await page.locator('h3:focus', { hasText: 'You are about to sign' }).waitFor();
  await see(page, 'The deposit is ⟨U+202E⟩000,01⟨U+202C⟩.');
  const facts = await page.locator('.facts', { hasText: 'with these values' }).innerText();
  expectTrue(facts.includes('Insured: Yes'), `the choice is signed, in: ${facts}`);
  const text = await page.locator('.prose').innerText();
  expectTrue(text.includes('A red tandem') && text.includes(owner), `values are in the text: ${text}`);
  await meetExpiredPermit(page);
}

/** A permit that is of no use any more has to be reviewed anew: the focus stays near. */
async function meetExpiredPermit(page: Page): Promise<void> {
  const deployments = '**/v0/agreements/**';
  const error = {
    code: 'bad_request',
    message: 'no',
    requestId: 'req_0',
    details: { reason: 'permit_expired' },
  };
  await page.route(deployments, (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 400, json: { error } }) : route.continue(),
  );
  await page.getByRole('button', { name: 'Sign in the wallet' }).press('Enter');
  await see(page, 'The signature has expired');
  await page.locator('fieldset :focus', { hasText: 'Test wallet is connected' }).waitFor();
  await page.unroute(deployments);
}
