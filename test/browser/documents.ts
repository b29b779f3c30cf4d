import { buildPage } from '../../src/api/documents/buildPage.ts';
import { pageHeaders } from '../../src/api/documents/pagePolicy.ts';
import { showUnseen } from '../../src/protocol/showUnseen.ts';
import { hostilePayloads } from '../support/hostilePayloads.ts';
import { sampleDocument } from '../support/sampleDocument.ts';
import { findCutNumbers } from './support/findCutNumbers.ts';
import { inspectPage, isHit } from './support/inspectPage.ts';
import { launchBrowser } from './support/launchBrowser.ts';
import { openTab, type Tab } from './support/openTab.ts';
import { servePages } from './support/servePages.ts';

/**
 * Opens every hostile payload in a real browser, in three ways. In pages of the service with their headers,
 * nothing may run, load or change the page. In the same pages without any policy, sanitising alone must
 * suffice. Without sanitising but with the headers, the policy alone must suffice. With neither, most
 * payloads must work: otherwise the browser or the check sees nothing.
 */
async function main(): Promise<number> {
  const browser = await launchBrowser();
  const server = await servePages();
  try {
    const { context } = browser;
    const tab = await openTab(context, server);
    const failures: string[] = [];
    let effective = 0;
    for (const payload of hostilePayloads) {
      failures.push(...(await checkPages(tab, payload)), ...(await checkPolicy(tab, payload)));
      if (await isEffective(await openTab(context, server), payload)) effective++;
    }
    failures.push(...(await checkNumbers(tab)));
    const expected = Math.floor(hostilePayloads.length / 3);
    if (effective < expected)
      failures.push(`Only ${effective} payloads work where nothing hinders them, not ${expected}.`);
    for (const failure of failures) console.error(failure);
    const checks = `${hostilePayloads.length} hostile payloads, ${effective} of which work where nothing hinders them`;
    console.log(`${checks}: ${failures.length} failures in pages of the service or under their policy`);
    return failures.length;
  } finally {
    await browser.close();
    await server.close();
  }
}

const plainHeaders = { 'content-type': 'text/html; charset=utf-8' };
const value = `\${variables.value}`;
const places = `${value}\n\n| a |\n|---|\n| ${value} |\n\n\`${value}\` <u>${value}</u> [${value}](${value}) ![${value}](${value})`;

/**
 * Pages with a payload in every possible place: as the name, as a value in all places, and as the text
 * itself.
 */
function listPages(payload: string) {
  return ['md', 'html'].map((contentType) => {
    const template = `${places}\n\n${payload}`;
    const values = { value: payload };
    const html = buildPage(sampleDocument({ displayName: payload, contentType, template, values }));
    return { contentType, html };
  });
}

/** Checks pages of the service, with their policy and without. */
async function checkPages(tab: Tab, payload: string): Promise<string[]> {
  const failures: string[] = [];
  for (const { contentType, html } of listPages(payload)) {
    const bare = html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '<meta>');
    if (bare === html) throw new Error('The page has no policy to take out.');
    const forms = [
      { form: 'as served', html, headers: pageHeaders },
      { form: 'without policy', html: bare, headers: plainHeaders },
    ];
    for (const { form, ...served } of forms) {
      await tab.show(served);
      const faults = await findFaults(tab, payload);
      failures.push(
        ...faults.map((fault) => `${JSON.stringify(payload)} (${contentType}, ${form}): ${fault}`),
      );
    }
  }
  return failures;
}

const numbered = [
  '98. a\n99. b\n100. c',
  '> 251000. euros',
  '- a\n\n  123456789. b',
  '<ol start="99"><li>a</li><li>b</li></ol>',
  '<ol><li value="99">a</li><li>b</li></ol>',
  `<ol start="9">${'<li>a</li>'.repeat(95)}</ol>`,
];

/** Checks that pages show all digits of the numbers of lists, also on narrow screens. */
async function checkNumbers({ page, show }: Tab): Promise<string[]> {
  const failures: string[] = [];
  for (const width of [320, 1_280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const template of numbered) {
      const html = buildPage(sampleDocument({ contentType: 'md', template }));
      await show({ html, headers: pageHeaders });
      const cut = await findCutNumbers(page);
      if (cut.length > 0) failures.push(`${JSON.stringify(template)}, ${width} px wide: cuts ${cut}`);
    }
  }
  return failures;
}

/** Checks pages without sanitising, which only the policy protects. */
async function checkPolicy(tab: Tab, payload: string): Promise<string[]> {
  await tab.show({ html: writeRaw(payload), headers: pageHeaders });
  const { requests, scripts } = tab.readEffects();
  const effects = [...requests, ...scripts, ...((await isHit(tab.page)) === false ? [] : ['ran'])];
  return effects.map((effect) => `${JSON.stringify(payload)} (policy alone): ${effect}`);
}

/**
 * Whether a payload has any effect if nothing prevents it. Closes the tab afterwards, because the payload may
 * have wrecked it.
 */
async function isEffective(tab: Tab, payload: string): Promise<boolean> {
  try {
    await tab.show({ html: writeRaw(payload), headers: plainHeaders });
    const hit = await isHit(tab.page);
    const { requests, scripts } = tab.readEffects();
    return hit !== false || requests.length > 0 || scripts.length > 0;
  } finally {
    await tab.page.close();
  }
}

function writeRaw(payload: string): string {
  return `<!doctype html><title>x</title><body><p>${payload}</p></body>`;
}

async function findFaults(tab: Tab, payload: string): Promise<string[]> {
  // The policy blocks parts of the inspection itself, which causes errors. Only errors before it count.
  const { errors } = tab.readEffects();
  const { isHit: hasRun, faults, texts } = await inspectPage(tab.page);
  const { requests, scripts } = tab.readEffects();
  // The name, and the value in its first four places.
  const shown = texts.slice(0, 5);
  const isShown = shown.length === 5 && shown.every((text) => text === showUnseen(payload));
  return [
    ...(hasRun ? ['ran'] : []),
    ...faults,
    ...(isShown ? [] : [`is shown as ${JSON.stringify(shown)}`]),
    ...requests.map((url) => `asked for ${url}`),
    ...scripts,
    ...errors,
  ];
}

process.exitCode = (await main()) === 0 ? 0 : 1;
