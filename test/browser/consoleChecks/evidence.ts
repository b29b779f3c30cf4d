import { readFile } from 'node:fs/promises';
import { verifyEvidence } from '../../../client/src/verify/index.ts';
import { submitInput } from '../../../client/src/viem/index.ts';
import { type ConsoleWorld, createAccount, expectTrue, see } from './consoleWorld.ts';
import { inspectLayout } from './inspectLayout.ts';
import { deployExample } from './pages.ts';

/** Saves an agreement's evidence as a file, verifies it, and checks it in the page. */
export async function readEvidence(world: ConsoleWorld): Promise<void> {
  const { client, faults } = world;
  const account = createAccount();
  const record = await deployExample(world, 'Proved to anyone', account);
  const values = { note: 'With a bell' };
  await submitInput({ client, account, agreementId: record.id, inputId: 'take', values });
  const { page, context } = await world.invite(account);
  await page.goto(`${world.baseUrl}/console/agreements/${record.id}`);
  await page.locator('.page-head .tag', { hasText: 'LENT' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the evidence' }).click(),
  ]);
  expectTrue(/^evidence-\d+-0x[0-9a-f]{40}\.json$/.test(download.suggestedFilename()), 'the file has a name');
  const verdict = await verifyEvidence(await readFile(await download.path()));
  if (!verdict.ok) throw new Error(`the file that was saved is refused: ${verdict.message}`);
  await page.getByRole('button', { name: 'Check it in this browser' }).click();
  await see(page, 'Signed and included');
  const shown = (await page.locator('.finding').textContent()) ?? '';
  for (const said of ['take', 'led to LENT', 'rider', 'With a bell', 'What is trusted', 'eIDAS'])
    expectTrue(shown.includes(said), `the page says “${said}”`);
  const hashes = verdict.blocks.map(({ number, hash }) => `${number} ${hash}`).join('\n');
  await page.getByLabel('Hashes from a source').fill(hashes);
  await page.getByRole('button', { name: 'Check again' }).click();
  await see(page, 'Signed, included and anchored');
  // What is closed is printed too.
  await page.emulateMedia({ media: 'print' });
  await page
    .locator('.rail:visible, .button:visible, .section form:visible, .finding .field:visible')
    .first()
    .waitFor({ state: 'detached' });
  await see(page, 'Signed, included and anchored');
  const [block] = verdict.blocks;
  if (!block) throw new Error('no block is shown');
  await see(page, block.hash);
  await page.locator('.finding pre').waitFor();
  await page.emulateMedia({ media: 'screen' });
  for (const width of [360, 1_440]) {
    await page.setViewportSize({ width, height: 800 });
    faults.push(...(await inspectLayout(page, `evidence, ${width} wide`)));
  }
  await context.close();
}
