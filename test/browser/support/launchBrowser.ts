import { constants } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Every host name that a page tries to reach resolves to nothing.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/**
 * A headless Chromium with a new, empty profile.
 *
 * @throws Error if there is no Chromium.
 */
export async function launchBrowser(): Promise<{ context: BrowserContext; close(): Promise<void> }> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  try {
    await access(executablePath, constants.X_OK);
  } catch (cause) {
    const message = `There is no Chromium at ${executablePath}: install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.`;
    throw new Error(message, { cause });
  }
  const profile = await mkdtemp(join(tmpdir(), 'agreements-chromium-'));
  const context = await chromium.launchPersistentContext(profile, { executablePath, args, headless: true });
  return {
    context,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
