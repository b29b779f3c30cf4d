import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { buildReference, referencePolicy } from '../../src/api/reference/buildReference.ts';
import { launchBrowser } from './support/launchBrowser.ts';
import { openTab, type Tab } from './support/openTab.ts';
import { servePages } from './support/servePages.ts';

/**
 * Opens the API reference in a real browser under its own policy. It must load nothing from elsewhere, on
 * wide and narrow screens, light and dark, and every entry of its contents must lead to a heading.
 */
async function main(): Promise<number> {
  const browser = await launchBrowser();
  const server = await servePages();
  try {
    const tab = await openTab(browser.context, server);
    const html = buildReference(JSON.parse(readFileSync('openapi.json', 'utf8')));
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': referencePolicy,
    };
    const failures: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [360, 1_400]) {
        await tab.page.emulateMedia({ colorScheme });
        await tab.page.setViewportSize({ width, height: 900 });
        await tab.show({ html, headers });
        failures.push(...(await findFaults(tab)).map((fault) => `${colorScheme}, ${width} wide: ${fault}`));
      }
    for (const failure of failures) console.error(failure);
    console.log(`the reference of the API, light and dark, narrow and wide: ${failures.length} failures`);
    return failures.length;
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Runs in the page. The minimum contrast is the one that accessibility rules require for plain text. */
const inspection = `(() => {
  const faults = [];
  const brightness = (color) => {
    const context = new OffscreenCanvas(1, 1).getContext('2d');
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = brightness(getComputedStyle(document.documentElement).backgroundColor);
  for (const selector of ['body', 'caption', 'a', '.method.get', '.method.post', '.s2', '.s4', '.public']) {
    const element = document.querySelector(selector);
    if (!element) { faults.push('there is no ' + selector); continue; }
    const ink = brightness(getComputedStyle(element).color);
    const contrast = (Math.max(paper, ink) + 0.05) / (Math.min(paper, ink) + 0.05);
    if (contrast < 4.5) faults.push(selector + ' has a contrast of ' + contrast.toFixed(2));
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is wider than the screen');
  const entries = [...document.querySelectorAll('nav a')];
  if (entries.length < 20) faults.push('the contents have ' + entries.length + ' entries');
  for (const { hash } of entries) {
    const target = document.getElementById(decodeURIComponent(hash.slice(1)));
    if (!/^H[23]$/.test(target?.tagName ?? '')) faults.push(hash + ' leads to no heading');
  }
  const levels = [...document.querySelectorAll('h1, h2, h3, h4')].map(({ tagName }) => Number(tagName[1]));
  if (levels.filter((level) => level === 1).length !== 1) faults.push('there is not one heading of the page');
  for (const [at, level] of levels.entries())
    if (level > (levels[at - 1] ?? 0) + 1) faults.push('heading ' + at + ' skips a level');
  return faults;
})()`;

async function findFaults(tab: Tab): Promise<string[]> {
  const faults = z.array(z.string()).parse(await tab.page.evaluate(inspection));
  const { requests, scripts, errors } = tab.readEffects();
  return [...faults, ...requests.map((url) => `asked for ${url}`), ...scripts, ...errors];
}

process.exitCode = (await main()) === 0 ? 0 : 1;
