import type { Page } from 'playwright-core';
import type { PrivateKeyAccount } from 'viem';
import { deployAgreement, submitInput } from '../../../client/src/viem/index.ts';
import { reference } from '../../service/support/documents.ts';
import { type ConsoleWorld, chainId, createAccount, expectTrue, type Person, see } from './consoleWorld.ts';

const by = (variable: string) => ({ issuer: { type: 'participant', variable }, schema: {} });
const way = (from: string, to: string, input: string) => ({ from, to, conditions: [{ input }] });

/** Whatever the reader agrees to leads elsewhere once the writer has moved the agreement. */
const agreement = {
  metadata: { templateId: 'did:template:offer', name: 'Offer' },
  variables: {
    reader: { type: 'address', subtype: 'participant', name: 'Reader' },
    writer: { type: 'address', subtype: 'participant', name: 'Writer' },
  },
  content: { type: 'md', data: `# Offer\n\n${reference('writer')} makes ${reference('reader')} an offer.` },
  execution: {
    initialize: {
      initialState: 'CHEAP',
      data: { reader: reference('reader'), writer: reference('writer') },
    },
    states: { CHEAP: {}, DEAR: {}, WORSE: {}, BOUGHT: {}, BOUGHT_DEAR: {}, BOUGHT_WORSE: {} },
    inputs: { agree: by('reader'), raise: by('writer') },
    transitions: [
      way('CHEAP', 'DEAR', 'raise'),
      way('DEAR', 'WORSE', 'raise'),
      way('CHEAP', 'BOUGHT', 'agree'),
      way('DEAR', 'BOUGHT_DEAR', 'agree'),
      way('WORSE', 'BOUGHT_WORSE', 'agree'),
    ],
  },
};

const changes = /which changes the state from/;
const mayNotBeSame = 'The agreement has changed since you opened this review';
const signButton = (page: Page) => page.getByRole('button', { name: 'Sign in the wallet' });
const effectOf = (page: Page, state: string) =>
  page.locator('dt', { hasText: changes }).locator('+ dd', { hasText: state });

/**
 * A review belongs to the state of its time: a principal and a guest sign nothing whose effect has changed, before they
 * sign or while their wallet asks them.
 */
export async function showChangesInReviews(world: ConsoleWorld): Promise<void> {
  for (const isGuest of [false, true]) {
    const offer = await openOffer(world, isGuest);
    await changeBeforeSigning(offer);
    await changeWhileSigning(offer);
    await signUnread(offer);
    await offer.reader.context.close();
  }
  await signAfterOpenInput(await openOffer(world, true));
}

type Offer = {
  readonly reader: Person;
  /** The writer moves the agreement on. */
  readonly raise: () => Promise<void>;
  readonly countInputs: () => Promise<number>;
};

async function openOffer(world: ConsoleWorld, isGuest: boolean): Promise<Offer> {
  const { client, baseUrl } = world;
  const [account, writer] = [createAccount(), createAccount()];
  const { id } = await deployAgreement({
    client,
    account: writer,
    agreement,
    chainId,
    displayName: 'Offer',
    participants: [
      { variableKey: 'reader', walletAddress: account.address },
      { variableKey: 'writer', walletAddress: writer.address },
    ],
  });
  const link = { may: 'sign', participant: 'reader', expiresInSeconds: 600 } as const;
  const reader = await world.invite(account, isGuest ? (await client.links.create(id, link)).url : undefined);
  if (!isGuest) await reader.page.goto(`${baseUrl}/console/agreements/${id}`);
  return {
    reader,
    raise: () => raise(world, { id, account: writer }),
    countInputs: async () => (await client.agreements.listInputs(id)).data.length,
  };
}

async function raise({ client }: ConsoleWorld, writer: { id: string; account: PrivateKeyAccount }) {
  await submitInput({ client, agreementId: writer.id, account: writer.account, inputId: 'raise' });
}

/** The review closes by itself, and shows the new effect once it is opened again. */
async function changeBeforeSigning({ reader: { page }, raise }: Offer): Promise<void> {
  await page.getByRole('button', { name: 'Act: agree' }).click();
  await page.getByRole('button', { name: /^Connect/ }).click();
  await page.getByRole('button', { name: 'Review what to sign' }).click();
  await effectOf(page, 'CHEAP → BOUGHT').waitFor();
  await raise();
  await see(page, mayNotBeSame);
  expectTrue((await signButton(page).count()) === 0, 'the outdated review cannot be signed');
  expectTrue((await effectOf(page, 'CHEAP').count()) === 0, 'the outdated effect is not shown');
  await page.getByRole('button', { name: 'Review it again' }).click();
  await effectOf(page, 'DEAR → BOUGHT_DEAR').waitFor();
  expectTrue((await page.getByText(mayNotBeSame).count()) === 0, 'the new review is no longer outdated');
}

/** What was signed before the change is not sent after it. */
async function changeWhileSigning({ reader: { page, owner }, raise, countInputs }: Offer): Promise<void> {
  owner.misbehave = async ({ method }, behave) => {
    if (method === 'eth_signTypedData_v4') await raise();
    return behave();
  };
  await signButton(page).click();
  await see(page, /Your signature was not sent/);
  owner.misbehave = undefined;
  const count = await countInputs();
  expectTrue(count === 2, `only the writer's two inputs are stored, and not ${count}`);
  await page.getByRole('button', { name: 'Review it again' }).click();
  await effectOf(page, 'WORSE → BOUGHT_WORSE').waitFor();
}

/** Without an answer about the state nothing is sent; with one, the same review can be signed. */
async function signUnread({ reader: { page, owner }, countInputs }: Offer): Promise<void> {
  const state = /\/v0\/(shared\/agreement|agreements\/[^/]+)\/state/;
  owner.misbehave = async ({ method }, behave) => {
    if (method === 'eth_signTypedData_v4') await page.route(state, (route) => route.abort());
    return behave();
  };
  await signButton(page).click();
  await see(page, /Nothing was sent, because it is not known whether the agreement has changed/);
  owner.misbehave = undefined;
  await page.unroute(state);
  expectTrue((await countInputs()) === 2, 'nothing was sent');
  await signButton(page).click();
  await see(page, /The agreement is now in BOUGHT_WORSE/);
}

/** An input that is not mined yet may move the agreement first: then a review states no effect. */
async function signAfterOpenInput({ reader: { page, context }, raise }: Offer): Promise<void> {
  await raise();
  await page.route(/\/inputs(\?|$)/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replaceAll('MINED', 'PENDING') });
  });
  await page.getByRole('button', { name: 'Act: agree' }).click();
  await page.getByRole('button', { name: /^Connect/ }).click();
  await page.getByRole('button', { name: 'Review what to sign' }).click();
  await page.locator('.digest').waitFor();
  await see(page, /Another input of this agreement is not mined yet/);
  expectTrue((await page.getByText(changes).count()) === 0, 'no effect is stated');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
}
