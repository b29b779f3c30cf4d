import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deployAgreement, submitInput } from '../../client/src/viem/index.ts';
import { findDevDirectory } from '../../src/cli/dev/devDirectory.ts';
import { findRunningDevStack } from '../../src/cli/dev/devStack.ts';
import { createAccount, createConsoleWorld } from './consoleChecks/consoleWorld.ts';
import { openBrowser } from './support/openBrowser.ts';

/**
 * Takes the pictures for the documents from the running development stack (npm run dev), into docs/images.
 */
const stack = findRunningDevStack(findDevDirectory(process.env));
if (!stack) throw new Error('No development stack runs: start one with npm run dev.');
/** The chain that the demo and other checks use least. */
const chainId = 84_532;
const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
mkdirSync(folder, { recursive: true });
const muralFile = new URL('../../examples/agreements/mural-commission.json', import.meta.url);
const mural = JSON.parse(readFileSync(muralFile, 'utf8'));

const browser = await openBrowser();
try {
  const world = await createConsoleWorld(stack, browser);
  const { client } = world;
  const [patron, artist] = [createAccount(), createAccount()];
  const deploy = (displayName: string, wall: string) =>
    deployAgreement({
      client,
      account: patron,
      agreement: mural,
      chainId,
      displayName,
      initValues: { wall, wallSquareMetres: '84' },
      participants: [
        { variableKey: 'patron', walletAddress: patron.address },
        { variableKey: 'artist', walletAddress: artist.address },
      ],
    });
  await deploy('Library stairwell', 'Stairwell of the library');
  const school = await deploy('South wall, primary school', 'South wall of the school');
  const accepted = { inputId: 'acceptCommission', values: { artistSignature: 'M. Tamm' } };
  await submitInput({ client, account: artist, agreementId: school.id, ...accepted });
  const record = await deploy('East wall, tram depot', 'East wall of the tram depot');
  const sketch = { sketchUri: 'ipfs://sketch-of-the-east-wall', sketchHash: `0x${'5e'.repeat(32)}` };
  await submitInput({ client, account: artist, agreementId: record.id, ...accepted });
  await submitInput({
    client,
    account: artist,
    agreementId: record.id,
    inputId: 'submitSketch',
    values: sketch,
  });
  const { page } = await world.invite(patron);
  const take = async (name: string, path: string, prepare: () => Promise<void> = async () => {}) => {
    await page.goto(world.baseUrl + path);
    await page.locator('h1').first().waitFor();
    await prepare();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    await page.screenshot({ path: `${folder}${name}.png` });
  };
  await take('agreement', `/console/agreements/${record.id}`, async () => {
    await page.getByRole('button', { name: 'Act: Ask for changes' }).click();
    await page.getByLabel('What to change').fill('A larger heron, please.');
    await page.getByText('It would be accepted').waitFor();
  });
  await page.emulateMedia({ colorScheme: 'dark' });
  await take('agreements', `/console/agreements?chainId=${chainId}`, async () => {
    await page.getByText('Library stairwell').waitFor();
    await page.getByText('…', { exact: true }).first().waitFor({ state: 'detached' });
  });
  await page.emulateMedia({ colorScheme: 'light' });
  await take('author', '/console/author', async () => {
    await page.getByRole('button', { name: 'Begin with an example' }).click();
    await page.getByText('Valid', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Simulate' }).click();
    await page.locator('[data-state="OFFERED"]').waitFor();
  });
} finally {
  await browser.close();
}
