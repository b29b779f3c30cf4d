import type { Page } from 'playwright-core';
import { deployAgreement } from '../../../client/src/viem/index.ts';
import { exampleDocument } from '../../../console/src/author/exampleDocument.ts';
import { type ConsoleWorld, chainId, createAccount } from './consoleWorld.ts';
import { inspectLayout } from './inspectLayout.ts';
import { deployExample } from './pages.ts';

/** Letters of twice the size, as a reader sets them in the browser. */
const enlarge = `(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('html { font-size: 200% !important }');
  document.adoptedStyleSheets = [sheet];
})()`;

/** The names in the diagram that are wider than their boxes. */
const listOverflows = `[...document.querySelectorAll('.diagram :is(.state, .way)')].flatMap((each) => {
  const text = each.querySelector('text');
  const excess = text.getBBox().width - each.querySelector('rect').getBBox().width;
  return excess > 0 ? [text.textContent] : [];
})`;

/** On the narrowest screen, and with letters of twice the size, no page is wider than the screen. Nor is it by long words on a wide one. */
export async function readLargeLetters(world: ConsoleWorld): Promise<void> {
  const record = await deployExample(world, 'Read with large letters');
  const webhook = await world.client.webhooks.create({ url: 'http://127.0.0.1:9/large' });
  const note = 'W'.repeat(100);
  await world.client.sessions.createLink({ expiresInSeconds: 600, label: note });
  await world.client.links.create(record.id, { may: 'read', expiresInSeconds: 600, note });
  const { page, context } = await world.invite(createAccount());
  await page.setViewportSize({ width: 320, height: 640 });
  const paths = ['agreements', 'author', 'events', 'webhooks', 'rules', 'keys', 'awaiting'];
  for (const path of [...paths, `agreements/${record.id}`, `webhooks/${webhook.id}`]) {
    await page.goto(`${world.baseUrl}/console/${path}`);
    await page.locator('h1').first().waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    if (path === 'events') await page.locator('tbody tr.item').first().waitFor();
    await page.evaluate(enlarge);
    world.faults.push(...(await inspectLayout(page, `${path}, large letters`)));
  }
  // There the lists of links and sessions are tables.
  for (const width of [641, 769, 1_280]) {
    await page.setViewportSize({ width, height: 900 });
    for (const path of ['keys', `agreements/${record.id}`]) {
      await page.goto(`${world.baseUrl}/console/${path}`);
      await page.getByText(note).waitFor();
      world.faults.push(...(await inspectLayout(page, `${path}, a long word, ${width} wide`)));
    }
  }
  await readLongNames(world, page);
  await context.close();
}

/** The names of a document may hold words that are longer than a line, on any screen. */
async function readLongNames({ client, baseUrl, faults }: ConsoleWorld, page: Page): Promise<void> {
  const word = 'W'.repeat(120);
  const { execution } = exampleDocument;
  const account = createAccount();
  const record = await deployAgreement({
    client,
    account,
    chainId,
    displayName: word,
    initValues: { bicycle: 'A red tandem' },
    participants: [
      { variableKey: 'owner', walletAddress: account.address },
      { variableKey: 'rider', walletAddress: account.address },
    ],
    agreement: {
      ...exampleDocument,
      execution: {
        ...execution,
        initialize: { ...execution.initialize, initialState: word },
        states: { ...execution.states, [word]: {} },
        inputs: {
          ...execution.inputs,
          take: {
            ...execution.inputs.take,
            displayName: word,
            data: { note: { type: 'string', name: word } },
          },
        },
        transitions: [...execution.transitions, { from: word, to: 'LENT', conditions: [{ input: 'take' }] }],
      },
    },
  });
  for (const width of [360, 768, 1_440]) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of ['agreements', 'events', `rules?agreement=${record.id}`, `agreements/${record.id}`]) {
      await page.goto(`${baseUrl}/console/${path}`);
      await page.getByText(word).filter({ visible: true }).first().waitFor();
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      faults.push(...(await inspectLayout(page, `${path}, long names, ${width} wide`)));
    }
    const cut = await page.evaluate(listOverflows);
    faults.push(...[cut].flat().map((text) => `the diagram, ${width} wide: ${text} is wider than its box`));
    await page.getByRole('button', { name: /^Act: / }).click();
    await page.getByLabel(word).waitFor();
    faults.push(...(await inspectLayout(page, `an input with long names, ${width} wide`)));
  }
}
