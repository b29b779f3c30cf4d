import { deployAgreement } from '../../../client/src/viem/index.ts';
import { readTemplate } from '../../../console/src/markdown/readTemplate.ts';
import { hostilePayloads } from '../../support/hostilePayloads.ts';
import { type ConsoleWorld, chainId, createAccount, expectTrue, type Person } from './consoleWorld.ts';
import { openFile } from './openFile.ts';

const longestName = 250;
const isName = (text: string) => Buffer.byteLength(text) <= longestName && text.trim() !== '';

/**
 * A document in which every text is a payload: names, descriptions, states, inputs, fields, values and
 * content.
 */
export function writeHostileDocument() {
  const payloads = hostilePayloads;
  // Others would have the whole text shown as written.
  const rendered = payloads.filter((payload) => !readTemplate(payload).isMissed);
  const names = payloads.filter(isName);
  const at = (index: number) => names[index % names.length] ?? 'x';
  const values = Object.fromEntries(payloads.map((payload, index) => [`v${index}`, payload]));
  const variables = Object.fromEntries(
    Object.keys(values).map((name, index) => [
      name,
      { type: 'string', name: at(index), description: at(index + 1) },
    ]),
  );
  const references = Object.fromEntries(Object.keys(values).map((name) => [name, `\${variables.${name}}`]));
  const states = [...new Set(names)].slice(0, 60);
  const [first = 'x', second = 'y'] = states;
  const inputs = Object.fromEntries(
    states.slice(0, 20).map((state, index) => [
      state,
      {
        displayName: at(index + 2),
        data: { [at(index + 3)]: { type: 'string', name: at(index + 4), description: at(index + 5) } },
      },
    ]),
  );
  const agreement = {
    metadata: { templateId: at(0), name: at(1), id: at(2) },
    variables,
    content: { type: 'md', data: [...rendered, ...Object.values(references)].join('\n\n') },
    execution: {
      initialize: { initialState: first, data: references },
      states: Object.fromEntries(states.map((state, index) => [state, { description: at(index + 6) }])),
      inputs,
      transitions: Object.keys(inputs).map((input, index) => ({
        from: first,
        to: states[index] ?? second,
        conditions: [{ input }],
      })),
    },
  };
  return { agreement, values, displayName: at(3), input: Object.keys(inputs)[0] ?? '', field: at(3) };
}

/**
 * Shows hostile texts everywhere the console shows a text: nothing in them runs, loads or becomes an element.
 */
export async function showHostileTexts(world: ConsoleWorld): Promise<void> {
  const account = createAccount();
  const { agreement, values, displayName } = writeHostileDocument();
  const { client } = world;
  const record = await deployAgreement({
    client,
    account,
    agreement,
    chainId,
    displayName,
    initValues: values,
  });
  const { page, context } = await world.invite(account, undefined, '<img src=x onerror=window.hit=1>');
  const paths = [
    '/console/agreements',
    `/console/agreements/${record.id}`,
    '/console/events',
    `/console/rules?agreement=${record.id}`,
  ];
  for (const path of paths) {
    await page.goto(world.baseUrl + path);
    await page.getByText(displayName).first().waitFor({ state: 'attached' });
    await requireHarmless(page, path);
  }
  await page.goto(`${world.baseUrl}/console/agreements/${record.id}`);
  await page.locator('.prose').waitFor();
  await page.getByRole('button', { name: 'Show as a table' }).click();
  await page.getByRole('button', { name: 'Source' }).click();
  await page
    .getByRole('button', { name: /^Act: / })
    .first()
    .click();
  await requireHarmless(page, 'the agreement, its table, source and form');
  await page.goto(`${world.baseUrl}/console/author`);
  await openFile(page, JSON.stringify(agreement, null, 1));
  for (const tab of ['Problems', 'Diagram', 'Analysis', 'Simulate', 'Deploy']) {
    await page.getByRole('tab', { name: tab }).click();
    await requireHarmless(page, tab);
  }
  const { url } = await client.links.create(record.id, {
    may: 'read',
    expiresInSeconds: 600,
    note: displayName,
  });
  await page.goto(url);
  await page.locator('.prose').waitFor();
  await requireHarmless(page, 'by a link');
  await context.close();
}

/** Runs in the page. The console itself uses none of the elements and attributes that payloads bring. */
const inspection = `(() => {
  const foreign = document.querySelectorAll('img, iframe, object, embed, base, meta[http-equiv], form[action], video, audio, script:not([src]), math, template, [onerror], [onload], [onclick], [srcdoc]');
  const links = [...document.links].filter(({ protocol }) => !['http:', 'https:', 'mailto:'].includes(protocol));
  return [...foreign, ...links].map((element) => element.outerHTML.slice(0, 200)).concat(window.hit === undefined ? [] : ['ran']);
})()`;

async function requireHarmless(page: Person['page'], where: string): Promise<void> {
  const found: unknown = await page.evaluate(inspection);
  expectTrue(
    Array.isArray(found) && found.length === 0,
    `nothing hostile in ${where}: ${JSON.stringify(found)}`,
  );
}
