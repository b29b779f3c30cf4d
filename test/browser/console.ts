import { createLocalStacks } from '../e2e/support/localStack.ts';
import { listenLocally } from '../support/listenLocally.ts';
import { reviewAuthored } from './consoleChecks/authored.ts';
import { showChangesInReviews } from './consoleChecks/changedReviews.ts';
import { createConsoleWorld } from './consoleChecks/consoleWorld.ts';
import { pressTwice } from './consoleChecks/doublePresses.ts';
import { sendDoubtfulInputs } from './consoleChecks/doubtfulInputs.ts';
import { signDraft } from './consoleChecks/drafts.ts';
import { readEvidence } from './consoleChecks/evidence.ts';
import { followFeed } from './consoleChecks/feed.ts';
import { createFramingPage, frameConsole } from './consoleChecks/frames.ts';
import { passHiddenAgreements } from './consoleChecks/hiddenAgreements.ts';
import { showHostileTexts } from './consoleChecks/hostile.ts';
import { meetHostileWallets } from './consoleChecks/hostileWallets.ts';
import { playJourney } from './consoleChecks/journey.ts';
import { readLargeLetters } from './consoleChecks/largeLetters.ts';
import { openManyTabs } from './consoleChecks/manyTabs.ts';
import { operate } from './consoleChecks/operators.ts';
import { tellOtherRules } from './consoleChecks/otherRules.ts';
import { meetOutages } from './consoleChecks/outages.ts';
import {
  foldWallets,
  followAddress,
  lookAtPages,
  showNames,
  tellLimits,
  walkByKeyboard,
} from './consoleChecks/pages.ts';
import { shareBrowser } from './consoleChecks/sharedBrowser.ts';
import { openStrangersLinks } from './consoleChecks/strangersLinks.ts';
import { meetTroubles } from './consoleChecks/troubles.ts';
import { tellUnsignedValues } from './consoleChecks/unsignedValues.ts';
import { keepWebhookSettings } from './consoleChecks/webhookSettings.ts';
import { openBrowser } from './support/openBrowser.ts';

/**
 * Tests the console in a real browser, on a whole service as its users start it: journeys of people with
 * wallets, failures on the way, hostile texts, and the properties of every page. No page may violate the
 * policy, throw, or send a request to another origin.
 */
async function main(): Promise<number> {
  const framing = await listenLocally(createFramingPage());
  const stacks = await createLocalStacks({
    CONSOLE_FRAME_ANCESTORS: framing.url,
    // Longer than a check waits for a page.
    CONSISTENCY_WAIT_MS: '40000',
  });
  const browser = await openBrowser();
  let failures = 0;
  try {
    const local = await stacks.start();
    const { stack } = local;
    const checks = {
      playJourney,
      signDraft,
      reviewAuthored,
      tellUnsignedValues,
      tellOtherRules,
      meetTroubles,
      meetOutages,
      sendDoubtfulInputs,
      showChangesInReviews,
      operate,
      readEvidence,
      showHostileTexts,
      openStrangersLinks,
      shareBrowser,
      followFeed,
      openManyTabs,
      keepWebhookSettings,
      pressTwice,
      frameConsole,
      meetHostileWallets,
      showNames,
      passHiddenAgreements,
      followAddress,
      tellLimits,
      foldWallets,
      lookAtPages,
      readLargeLetters,
      walkByKeyboard,
    };
    const wanted = process.argv.slice(2);
    const unknown = wanted.find((name) => !(name in checks));
    if (unknown !== undefined) throw new Error(`there is no check ${unknown}`);
    for (const [name, check] of Object.entries(checks)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      const world = await createConsoleWorld(stack, browser);
      const startedAt = Date.now();
      try {
        await check(world, local, framing.url);
      } catch (error) {
        world.faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      }
      failures += world.faults.length;
      for (const fault of new Set(world.faults)) console.error(`${name}: ${fault}`);
      console.log(
        `${name}: ${world.faults.length} failures, ${Math.round((Date.now() - startedAt) / 1_000)} s`,
      );
      for (const context of browser.contexts()) {
        // An answer that comes after its page would end all checks.
        for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
        await context.close();
      }
    }
  } finally {
    await browser.close();
    await stacks.dispose();
    await framing.close();
  }
  return failures;
}

process.exitCode = (await main()) === 0 ? 0 : 1;
