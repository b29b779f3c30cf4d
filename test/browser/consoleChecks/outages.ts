import { encodeFunctionData, type Hex, parseEther, parseGwei } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { exampleDocument } from '../../../console/src/author/exampleDocument.ts';
import { encodeInputPayload, nameHash } from '../../../src/protocol/index.ts';
import { killAndAwaitRestart, type LocalStack } from '../../e2e/support/localStack.ts';
import { createAnvilClient } from '../../support/anvilClient.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type ConsoleWorld, chainId, expectTrue, see } from './consoleWorld.ts';
import { type Opened, openAsRider, prepareAct, sign, stateShown, stepDone } from './rider.ts';

const waitingText = /This takes longer than usual/;
const awayText = /shows the last known data/;

/**
 * Failures while a page is open, caused in the processes themselves: a removed block, a silent node, an input
 * that the chain refuses, an API that is silent or gone. The page reports each failure and recovers without
 * any action of its reader.
 */
export async function meetOutages(world: ConsoleWorld, local: LocalStack): Promise<void> {
  const chain = world.stack.chains.find((each) => each.chainId === chainId);
  if (!chain) throw new Error('the stack has no such chain');
  const anvil = createAnvilClient(chain.rpcUrl);
  const checks = {
    readWhilePending,
    awaitConfirmations,
    takeBlockBack,
    silenceNode,
    failOnChain,
    silenceApi,
    silenceAccess,
    loseApi,
    loseFiles,
  };
  for (const check of Object.values(checks)) {
    const opened = await openAsRider(world);
    await check(opened, { local, anvil });
    await opened.rider.context.close();
  }
}

type Outside = { readonly local: LocalStack; readonly anvil: ReturnType<typeof createAnvilClient> };

/** While an input waits for its block, the history shows it and every other page can be read. */
async function readWhilePending({ rider, record }: Opened, { anvil }: Outside): Promise<void> {
  const { page } = rider;
  // Shorter than a read waits for a consistency token.
  const soon = { timeout: 30_000 };
  await prepareAct(rider);
  await anvil.setAutomine(false);
  try {
    await sign(rider);
    await stepDone(rider, 'Sent').waitFor();
    await page.locator('.timeline li.pending', { hasText: 'Pending' }).waitFor(soon);
    await page.getByRole('link', { name: 'All agreements' }).click();
    await page.getByRole('link', { name: record.displayName }).first().waitFor(soon);
    await page.getByRole('link', { name: 'Access' }).click();
    await page.getByText('this session').waitFor(soon);
    await page.goBack();
    await page.goBack();
    await page.locator('.timeline li.pending').waitFor(soon);
  } finally {
    await anvil.mine({ blocks: 1 });
    await anvil.setAutomine(true);
  }
  await stateShown(rider, 'LENT').waitFor();
}

/** On a chain whose blocks need confirmations, an input is confirmed by the blocks after its own. */
async function awaitConfirmations({ rider }: Opened, { anvil }: Outside): Promise<void> {
  const { page } = rider;
  await page.route('**/console/settings.json', async (route) => {
    const answer = await route.fetch();
    const text = (await answer.text()).replaceAll('"confirmations":1', '"confirmations":3');
    await route.fulfill({ response: answer, body: text });
  });
  await page.reload();
  await prepareAct(rider);
  await anvil.setAutomine(false);
  try {
    await sign(rider);
    await stepDone(rider, 'Sent').waitFor();
    await anvil.mine({ blocks: 1 });
    await stepDone(rider, 'Mined').waitFor();
    await stateShown(rider, 'LENT').waitFor();
    expectTrue((await stepDone(rider, 'Confirmed').count()) === 0, 'its own block is not enough');
    await anvil.mine({ blocks: 2 });
    await stepDone(rider, 'Confirmed').waitFor();
  } finally {
    await anvil.setAutomine(true);
  }
}

/**
 * A reorg removes the block of an input. The page goes back to the former state, and forward again once the
 * input is mined again.
 */
async function takeBlockBack({ rider }: Opened, { anvil }: Outside): Promise<void> {
  await prepareAct(rider);
  await sign(rider);
  await stepDone(rider, 'Confirmed').waitFor();
  await stateShown(rider, 'LENT').waitFor();
  await anvil.setAutomine(false);
  try {
    await anvil.request<{ Method: 'anvil_reorg'; Parameters: [number, unknown[]]; ReturnType: null }>({
      method: 'anvil_reorg',
      params: [1, []],
    });
    // The service notices the reorg at the next block.
    await anvil.mine({ blocks: 0 }).catch(() => undefined);
    await stateShown(rider, 'OFFERED').waitFor();
    await stepDone(rider, 'Mined').waitFor({ state: 'detached' });
  } finally {
    await anvil.setAutomine(true);
    await anvil.mine({ blocks: 1 });
  }
  await stateShown(rider, 'LENT').waitFor();
  await stepDone(rider, 'Confirmed').waitFor();
}

/** The chain's node does not answer for a while. Nobody has to repeat anything. */
async function silenceNode({ rider }: Opened, { local }: Outside): Promise<void> {
  await prepareAct(rider);
  const node = local.processes()[`the chain ${chainId}`];
  if (!node) throw new Error('the chain has no process');
  process.kill(node.pid, 'SIGSTOP');
  try {
    await sign(rider);
    await see(rider.page, waitingText);
    expectTrue((await stepDone(rider, 'Mined').count()) === 0, 'nothing is mined without a node');
  } finally {
    process.kill(node.pid, 'SIGCONT');
  }
  await stepDone(rider, 'Confirmed').waitFor();
  await rider.page.getByText(waitingText).waitFor({ state: 'detached' });
  await stateShown(rider, 'LENT').waitFor();
}

/**
 * Between the signature and the block, the same wallet acts in another way. The chain refuses the input, and
 * the page says so in words.
 */
async function failOnChain({ world, record, rider, account }: Opened, { anvil }: Outside): Promise<void> {
  const { address } = await world.client.agreements.get(record.id);
  if (address === undefined) throw new Error('the agreement has no address');
  await anvil.setBalance({ address: account.address, value: parseEther('1') });
  await prepareAct(rider);
  await anvil.setAutomine(false);
  try {
    await sign(rider);
    await stepDone(rider, 'Sent').waitFor();
    const payload = encodeInputPayload(exampleDocument, 'take', { note: 'By another way' });
    const data = encodeFunctionData({
      abi: agreementEngineAbi,
      functionName: 'submitInput',
      args: [nameHash('take'), payload],
    });
    const to: Hex = `0x${address.slice(2)}`;
    const fees = { maxFeePerGas: parseGwei('500'), maxPriorityFeePerGas: parseGwei('400') };
    await anvil.sendTransaction({ account, chain: null, to, data, gas: 1_000_000n, ...fees });
  } finally {
    await anvil.mine({ blocks: 1 });
    await anvil.setAutomine(true);
  }
  await see(rider.page, 'It has failed');
  await stateShown(rider, 'LENT').waitFor();
  await rider.page.getByRole('button', { name: 'Done' }).click();
  await rider.page.getByRole('button', { name: 'Act: Confirm the return' }).waitFor();
}

/** The API accepts requests but answers none. */
async function silenceApi({ rider }: Opened, { local }: Outside): Promise<void> {
  await stateShown(rider, 'OFFERED').waitFor();
  // A part of the page that has shown nothing yet reports the failure itself.
  const busy = rider.page.locator('[aria-busy="true"]');
  await waitUntil('the whole page is loaded', async () => (await busy.count()) === 0);
  const api = local.processes()['the api'];
  if (!api) throw new Error('the API has no process');
  process.kill(api.pid, 'SIGSTOP');
  try {
    await see(rider.page, awayText);
    const alerts = await rider.page.getByRole('alert').allInnerTexts();
    expectTrue(alerts.length === 0, `it is said once, and not also: ${alerts.join(' ')}`);
    expectTrue(await stateShown(rider, 'OFFERED').isVisible(), 'what was known stays');
  } finally {
    process.kill(api.pid, 'SIGCONT');
  }
  await rider.page.getByText(awayText).waitFor({ state: 'detached' });
}

/** A list of accesses that is open says that it may be out of date. */
async function silenceAccess({ rider: { page } }: Opened, { local }: Outside): Promise<void> {
  await page.getByRole('link', { name: 'Access' }).click();
  await page.getByText('this session').waitFor();
  const api = local.processes()['the api'];
  if (!api) throw new Error('the API has no process');
  process.kill(api.pid, 'SIGSTOP');
  try {
    await page.getByRole('alert').first().waitFor({ timeout: 60_000 });
    expectTrue(await page.getByText('this session').isVisible(), 'what was known stays');
  } finally {
    process.kill(api.pid, 'SIGCONT');
  }
  await page.getByRole('alert').first().waitFor({ state: 'detached' });
}

/** The API ends while a person opens a page whose code is not loaded yet. */
async function loseApi({ world, rider }: Opened, { local }: Outside): Promise<void> {
  const { page } = rider;
  await stateShown(rider, 'OFFERED').waitFor();
  const restarted = killAndAwaitRestart(local, 'the api');
  await page.getByRole('link', { name: 'Rules' }).click();
  await see(page, 'This page could not be loaded');
  await restarted;
  await page.getByLabel('Rules to try').waitFor();
  expectTrue(page.url().startsWith(`${world.baseUrl}/console/rules`), 'the page that was wanted comes');
}

/** A new version of the console has other file names: the page says what helps. */
async function loseFiles({ rider }: Opened): Promise<void> {
  const { page } = rider;
  await stateShown(rider, 'OFFERED').waitFor();
  const files = '**/console/assets/*';
  await page.route(files, (route) => route.fulfill({ status: 404, body: '' }));
  await page.getByRole('button', { name: 'Check it in this browser' }).click();
  await see(page, 'A part of this page could not be loaded');
  await page.unroute(files);
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('button', { name: 'Check it in this browser' }).click();
  await see(page, /Signed(,| and) included/);
}
