import pino from 'pino';
import type { Address } from 'viem';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { setEntitlement } from '../../../src/records/principals/entitlements.ts';
import { createPrincipal } from '../../../src/records/principals/principals.ts';
import { type ConsoleWorld, createAccount, expectTrue, see } from './consoleWorld.ts';
import { deployExample } from './pages.ts';

/** As many as a page of a wallet's agreements looks at. */
const hidden = 1_000;

/** A principal that may not read them any more has named the wallet often: no page before the last says that there is nothing. */
export async function passHiddenAgreements(world: ConsoleWorld): Promise<void> {
  const rider = createAccount();
  const record = await deployExample(world, 'Behind hidden ones', rider);
  await world.client.agreements.update(record.id, { participantAccess: 'sign' });
  await insertHidden(world.stack.databaseUrl, rider.address);
  const { page, context } = await world.invite(rider, `${world.baseUrl}/console/awaiting`);
  await page.getByRole('button', { name: /^Connect/ }).click();
  await page.getByRole('button', { name: 'Log in with this wallet' }).click();
  const more = page.getByRole('button', { name: 'Show more' });
  await more.waitFor();
  const text = await page.locator('main').innerText();
  expectTrue(!text.includes('Nothing awaits'), `more may follow, but the page says: ${text}`);
  await more.click();
  await see(page, record.displayName);
  await context.close();
}

async function insertHidden(url: string, wallet: Address): Promise<void> {
  const { database, pool, close } = createDatabase({
    ...{ url, applicationName: 'console checks', maxConnections: 1, logger: pino({ level: 'silent' }) },
  });
  try {
    const { id } = await createPrincipal(database, 'May not read');
    await setEntitlement(database, { principal: id, scope: '*', mode: 'blocked' });
    await pool.query(
      `with opened as (
        insert into service.records (id, principal_id, chain_id, status, display_name, document, doc_hash, template_id, doc_uri,
          participants, observers, contributors, initial_variables, variables, participant_access)
        select 'agr_hidden' || at, $1, 59141, 'Draft', 'Hidden', '{}', '0x0', 'did:template:lease', 'x:1', '[]', '[]', '[]', '{}',
          '{}', 'read' from generate_series(1, $2::int) as at returning id, created_at)
      insert into service.record_wallets (record_id, wallet, created_at) select id, $3, created_at from opened`,
      [id, hidden, wallet.toLowerCase()],
    );
  } finally {
    await close();
  }
}
