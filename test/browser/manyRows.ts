import pino from 'pino';
import type { Page } from 'playwright-core';
import { AgreementsClient } from '../../client/src/index.ts';
import { submitInput } from '../../client/src/viem/index.ts';
import { findDevDirectory } from '../../src/cli/dev/devDirectory.ts';
import { findRunningDevStack } from '../../src/cli/dev/devStack.ts';
import { createDatabase } from '../../src/platform/database/database.ts';
import { createAccount, createConsoleWorld } from './consoleChecks/consoleWorld.ts';
import { createEmptyPrincipal } from './consoleChecks/emptyPrincipal.ts';
import { writeHostileDocument } from './consoleChecks/hostile.ts';
import { openFile } from './consoleChecks/openFile.ts';
import { deployExample } from './consoleChecks/pages.ts';
import { openBrowser } from './support/openBrowser.ts';

/**
 * Measures the console on the running development stack: with an account of 100,000 agreements, an agreement
 * of 5,000 inputs, and a document of letters that no font has. Writes the rows directly into the stack's
 * database, as copies of real rows.
 *
 *     npm run console:rows -- [number of agreements]
 */
const agreements = Number(process.argv[2] ?? 100_000);
const inputs = 5_000;
const rounds = 5;
/** Rows per statement. */
const batch = 5_000;

const stack = findRunningDevStack(findDevDirectory(process.env));
if (!stack) throw new Error('No development stack runs: start one with npm run dev.');
const { pool, close } = createDatabase({
  url: stack.databaseUrl,
  applicationName: 'console measurement',
  maxConnections: 1,
  logger: pino({ level: 'silent' }),
});
const browser = await openBrowser();
try {
  const world = await createConsoleWorld(stack, browser);
  const account = createAccount();
  const record = await deployExample(world, 'One of many', account);
  const sent = { agreementId: record.id, inputId: 'take', values: { note: 'The first of many' } };
  const { id: inputId } = await submitInput({ client: world.client, account, ...sent });
  await copyInput(inputId);

  const { page } = await world.invite(account);
  const openAgreement = () => page.goto(`${world.baseUrl}/console/agreements/${record.id}`);
  await measure(`an agreement of ${inputs} inputs, all of it`, async () => {
    await openAgreement();
    await page.getByText('take #1 of many').waitFor();
    await page.locator('.prose').waitFor();
  });
  await measure('…and its next 25 inputs', async () => {
    const rows = page.locator('.timeline > li');
    const before = await rows.count();
    await page.getByRole('button', { name: 'Show more' }).click();
    await rows.nth(before + 5).waitFor();
  });

  const apiKey = await createEmptyPrincipal(stack.databaseUrl, `many ${Date.now()}`);
  const client = new AgreementsClient({ baseUrl: world.baseUrl, apiKey });
  await copyRecord(record.id, (await client.sessions.current()).principal.id);
  const { url } = await client.sessions.createLink({ expiresInSeconds: 3_600 });
  const many = await world.invite(account, url);
  await many.page.waitForURL('**/console/agreements');
  await measure('the API’s own answer to the list', () => client.agreements.list({ limit: 25 }));
  await measure(`the list of ${agreements} agreements, its rows`, async () => {
    await many.page.goto(`${world.baseUrl}/console/agreements`);
    await many.page.getByText(`Copy ${agreements}`).waitFor();
  });
  await measure('…and whose turn it is in each', async () => {
    await many.page.goto(`${world.baseUrl}/console/agreements`);
    await many.page.getByText(`Copy ${agreements}`).waitFor();
    await many.page.getByText('…', { exact: true }).first().waitFor({ state: 'detached' });
  });
  await writeExotic(page);
  for (const fault of new Set(world.faults)) console.error(fault);
} finally {
  await browser.close();
  await close();
}

async function measure(what: string, act: () => PromiseLike<unknown>): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await act();
    times.push(performance.now() - startedAt);
  }
  const sorted = times.toSorted((one, other) => one - other).map((time) => Math.round(time));
  console.log(
    `${what}: median ${sorted[Math.floor(rounds / 2)]} ms, first ${Math.round(times[0] ?? 0)} ms, slowest ${sorted.at(-1)} ms`,
  );
}

/** Copies an input. The copies are newer than the original, and the newest one is `take #1`. */
function copyInput(id: string): Promise<void> {
  return copyRow('inputs', inputs, {
    id,
    changes: {
      id: `'inp_' || md5(original.id || n)`,
      position: 'original.position + n',
      transaction_id: 'null',
      values: `json_build_object('note', 'take #' || (${inputs} - n + 1) || ' of many')`,
    },
  });
}

function copyRecord(id: string, principalId: string): Promise<void> {
  return copyRow('records', agreements, {
    id,
    changes: {
      id: `'agr_' || md5(original.id || n)`,
      principal_id: `'${principalId}'`,
      document_id: 'null',
      deploy_transaction_id: 'null',
      display_name: `'Copy ' || n`,
      address: `'0x' || substr(md5(n::text) || md5(original.id || n), 1, 40)`,
    },
  });
}

/** @param changes expressions for columns of the nth copy, which is n milliseconds younger. */
async function copyRow(
  table: string,
  count: number,
  { id, changes }: { id: string; changes: Readonly<Record<string, string>> },
): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [`service.${table}`],
  );
  const all = { ...changes, created_at: `original.created_at + n * interval '1 millisecond'` };
  const values: Readonly<Record<string, string>> = all;
  const names = rows.map(({ name }) => name);
  for (let from = 1; from <= count; from += batch)
    await pool.query(
      `insert into service.${table} (${names.map((name) => `"${name}"`).join(', ')})
       select ${names.map((name) => values[name] ?? `original."${name}"`).join(', ')}
       from service.${table} original, generate_series($2::int, $3::int) n where original.id = $1`,
      [id, from, Math.min(from + batch - 1, count)],
    );
}

/** Opens a document of all hostile texts as a file, and then changes one letter of it. */
async function writeExotic(page: Page): Promise<void> {
  const text = JSON.stringify(writeHostileDocument().agreement, null, 1);
  await page.goto(`${new URL(page.url()).origin}/console/author`);
  const editor = page.getByRole('textbox', { name: 'Document, as JSON' });
  const frame = () => page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  await measure(
    `a document of ${text.length} letters, many of them of no font, until it is drawn`,
    async () => {
      await editor.fill('');
      await frame();
      await openFile(page, text);
      await frame();
    },
  );
  await editor.press('Control+Home');
  await measure('…and a letter more', async () => {
    await editor.press('Space');
    await frame();
  });
}
