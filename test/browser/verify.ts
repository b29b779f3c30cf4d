import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { chromium } from 'playwright-core';
import { buildVerifyRoutes } from '../../src/api/console/verifyRoutes.ts';
import type { AppEnv } from '../../src/api/endpoint/appEnv.ts';
import { ensureConsole } from '../../src/cli/console/ensureConsole.ts';

/**
 * Tests the page that checks files, in Chromium under its own policy: narrow and wide, offline, with genuine
 * and forged files.
 */
const files = fileURLToPath(new URL('../evidence/files/', import.meta.url));
const screenshots = process.env.SCREENSHOTS;
const problems: string[] = [];
const expectTrue = (holds: boolean, what: string) => {
  console.log(`${holds ? 'ok' : 'NOT OK'} ${what}`);
  if (!holds) problems.push(what);
};

await ensureConsole();
const app = new Hono<AppEnv>();
for (const { path, serve } of buildVerifyRoutes()) app.get(path, (context) => serve(context));
const server = createServer(getRequestListener(app.fetch));
server.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address() as AddressInfo;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  for (const width of [360, 1280]) {
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' && !/favicon/.test(message.text()))
        problems.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => problems.push(`page: ${error.message}`));
    await page.goto(`http://127.0.0.1:${port}/verify`);
    await page.getByText('Drop a file here').waitFor();
    const shoot = async (name: string) => {
      if (screenshots) await page.screenshot({ path: `${screenshots}/${name}-${width}.png`, fullPage: true });
      const box = await page.locator('main').boundingBox();
      expectTrue(
        box !== null && box.x >= 0 && box.x + box.width <= width,
        `nothing is wider than ${width} (${name})`,
      );
    };
    await shoot('empty');
    await context.setOffline(true);
    const text = await readFile(`${files}lease.json`, 'utf8');
    const give = (content: string) =>
      page.setInputFiles('input[type=file]', {
        name: 'lease.json',
        mimeType: 'application/json',
        buffer: Buffer.from(content),
      });
    await give(text);
    // The outcome is announced to readers who do not see it appear.
    const announced = (words: string) => page.getByRole('status').getByText(words).waitFor();
    await announced('Signed and included');
    const shown = (await page.locator('main').textContent()) ?? '';
    for (const said of [
      'appoint',
      'accept',
      'pay',
      'led to PAID',
      'landlord',
      'tenant',
      'What is trusted',
      'eIDAS',
    ])
      expectTrue(shown.includes(said), `offline it says “${said}”`);
    await shoot('genuine');
    const blocks: { number: number; hash: string }[] = JSON.parse(text).blocks;
    await page
      .getByLabel('Hashes from a source')
      .fill(blocks.map(({ number, hash }) => `${number} ${hash}`).join('\n'));
    await page.getByRole('button', { name: 'Check again' }).click();
    await announced('Signed, included and anchored');
    expectTrue(true, 'hashes that the reader trusts anchor it');
    await give(text.replace('The rent is paid', 'The rent is due'));
    await announced('This file proves nothing');
    expectTrue(
      (await page.locator('main').textContent())?.includes('document_mismatch') === true,
      'a forged text is refused',
    );
    await shoot('refused');
    const many = process.env.EVIDENCE_FILE;
    if (many) {
      const begin = performance.now();
      await page.setInputFiles('input[type=file]', many);
      await page.getByRole('status').getByText('Signed and included').waitFor({ timeout: 120_000 });
      console.log(`${many}: ${Math.round(performance.now() - begin)} ms`);
      await shoot('many');
    }
    await context.close();
  }
} finally {
  await browser.close();
  server.close();
}
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
