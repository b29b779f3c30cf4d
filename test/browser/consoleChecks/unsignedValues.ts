import { deployAgreement } from '../../../client/src/viem/index.ts';
import { findCutNumbers } from '../support/findCutNumbers.ts';
import { type ConsoleWorld, chainId, createAccount, expectTrue, see } from './consoleWorld.ts';

const reference = (name: string) => `\${variables.${name}}`;

/** A document whose rent is in its text and in no signature, and whose texts try to hide and to reverse something. */
const agreement = {
  metadata: { templateId: 'did:template:lease', name: 'Lease' },
  variables: {
    landlord: { type: 'address', subtype: 'participant', name: 'Landlord' },
    deposit: { type: 'uint256', name: 'Deposit\u202e' },
    rent: { type: 'uint256', name: 'Rent' },
  },
  content: {
    type: 'md',
    data: [
      `# Lease\n\nThe rent is ${reference('rent')} a month, the deposit ${reference('deposit')}.`,
      '[//]: # (Clause 6: the tenant also pays 10,000.)',
      '7. Seventh clause\n9. Ninth clause\n251000. Euros a year',
      '```Clause 10: interest is 40 percent\nshown\n```',
      '[More](https://lease.example/terms "Clause 11")',
    ].join('\n\n'),
  },
  execution: {
    initialize: {
      initialState: 'OFFERED',
      data: { landlord: reference('landlord'), deposit: reference('deposit') },
    },
    states: { OFFERED: {}, ENDED: {} },
    inputs: { end: { issuer: { type: 'participant', variable: 'landlord' }, schema: {} } },
    transitions: [{ from: 'OFFERED', to: 'ENDED', conditions: [{ input: 'end' }] }],
  },
};

/** Who signs sees what is signed, what is not, and all of the text. */
export async function tellUnsignedValues(world: ConsoleWorld): Promise<void> {
  await signDeployment(world);
  await signRenamed(world);
}

/** What an owner of a prepared deployment sees. */
async function signDeployment(world: ConsoleWorld): Promise<void> {
  const owner = createAccount();
  const initValues = { landlord: owner.address, deposit: '901', rent: '900' };
  const draft = { agreement, chainId, displayName: 'Lease of the mill', initValues, signer: owner.address };
  const { id, docUri } = await world.client.agreements.createDraft(draft);
  const { url } = await world.client.links.create(id, { may: 'sign', expiresInSeconds: 600 });
  const { page, context } = await world.invite(owner, url);
  await page.getByRole('button', { name: /^Connect/ }).click();
  await page.getByRole('button', { name: 'Review what to sign' }).click();
  await page.locator('.digest').waitFor();
  await see(page, docUri);
  await see(page, 'except for what is marked as not signed');
  const unsigned = page.locator('.note', { hasText: 'You do not sign the following' });
  const listed = await unsigned.innerText();
  for (const line of ['Rent: 900', 'Name given to it here: Lease of the mill'])
    expectTrue(listed.includes(line), `${line} is listed as not signed, in: ${listed}`);
  await see(page, 'Deploy the agreement “Lease”, as shown below, with you as its owner');
  const signed = await page.locator('.facts', { hasText: 'with these values' }).innerText();
  expectTrue(signed.includes('Deposit⟨U+202E⟩: 901'), `the deposit can be read, in: ${signed}`);
  // An address or a hash may contain the same digits.
  expectTrue(!/Rent|(?<![\w…])900(?![\w…])/.test(signed), `the rent is not signed, in: ${signed}`);
  const text = await page.locator('.prose').innerText();
  for (const part of [
    '900 (not signed)',
    'Clause 6',
    'Clause 10',
    'https://lease.example/terms',
    'Clause 11',
  ])
    expectTrue(text.includes(part), `the text shows ${part}, in: ${text}`);
  const numbers = await page.locator('.prose li').evaluateAll((items) => items.map((item) => item.value));
  expectTrue(numbers.join() === '7,9,251000', `the clauses keep their numbers, and are not ${numbers}`);
  await page.setViewportSize({ width: 320, height: 800 });
  const cut = await findCutNumbers(page);
  expectTrue(cut.length === 0, `a narrow screen shows all digits, also of ${cut}`);
  await context.close();
}

/** A stranger shares somebody's agreement under another name: its page and its review name it as its document does. */
async function signRenamed({ client, invite, baseUrl }: ConsoleWorld): Promise<void> {
  const account = createAccount();
  const displayName = 'Claim your refund \u202e';
  const initValues = { landlord: account.address, deposit: '901', rent: '900' };
  const { id } = await deployAgreement({ client, account, agreement, chainId, displayName, initValues });
  await client.agreements.update(id, { participantAccess: 'sign' });
  const { page, context } = await invite(account, `${baseUrl}/console/awaiting`);
  await page.getByRole('button', { name: /^Connect/ }).click();
  await page.getByRole('button', { name: 'Log in with this wallet' }).click();
  await page.getByRole('link', { name: 'Claim your refund' }).click();
  await see(page, 'Its document calls it “Lease”.');
  await page.getByRole('button', { name: 'Act: end' }).click();
  await page.getByRole('button', { name: /^Connect/ }).click();
  await page.getByRole('button', { name: 'Review what to sign' }).click();
  await page.locator('.digest').waitFor();
  await see(page, '“end” in the agreement “Lease”');
  await see(page, 'except for what is marked as not signed');
  const unsigned = await page.locator('.note', { hasText: 'You do not sign the following' }).innerText();
  const named = 'Name given to it here: Claim your refund ⟨U+202E⟩';
  expectTrue(unsigned.includes(named), `${named} is listed as not signed, in: ${unsigned}`);
  await context.close();
}
