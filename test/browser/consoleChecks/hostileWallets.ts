import type { Page } from 'playwright-core';
import type { Owner } from '../support/browserWallet.ts';
import { type ConsoleWorld, chainId, createAccount, expectTrue, type Person, see } from './consoleWorld.ts';
import { announceHostileWallets } from './hostileAnnouncements.ts';
import { inspectLayout } from './inspectLayout.ts';
import { deployExample } from './pages.ts';

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();
const never = () => new Promise<never>(() => {});
const reject = (code: number, message: string) => Promise.reject(Object.assign(new Error(message), { code }));
const typed = 'eth_signTypedData_v4';

/**
 * Wallets that misbehave. Nothing that their account has not signed may be sent, the page must say what
 * happened, and the person can try again.
 */
export async function meetHostileWallets(world: ConsoleWorld): Promise<void> {
  const account = createAccount();
  const record = await deployExample(world, 'Signed by nobody else', account);
  const person = await world.invite(account);
  const { page, owner, context } = person;
  const sent = watchSignatures(page);
  await context.addInitScript(announceHostileWallets);
  await page.goto(`${world.baseUrl}/console/agreements/${record.id}`);
  await press(page, 'Act: Take the bicycle');
  await page.getByLabel('Note', { exact: true }).fill('With a bell');
  await inspectAnnounced(world, page);
  await connectAfterAll(person);
  await press(page, 'Review what to sign');
  await page.locator('.digest').waitFor();
  for (const { does, shows, misbehave } of signings(owner)) {
    owner.asked.length = 0;
    owner.misbehave = misbehave;
    await press(page, 'Sign in the wallet');
    await see(page, shows);
    await page.getByRole('button', { name: 'Sign in the wallet' }).waitFor();
    expectTrue(sent.length === 0, `nothing is sent for a wallet that ${does}`);
    const times = owner.asked.filter((method) => method === typed).length;
    expectTrue(times <= 1, `a wallet that ${does} is asked once, and not ${times} times`);
  }
  await signLate(person, sent);
  owner.misbehave = undefined;
  await press(page, 'Sign in the wallet');
  await page.locator('.steps li.done', { hasText: 'Confirmed' }).waitFor();
  expectTrue(sent.length === 1, `one signature was sent, and not ${sent.length}`);
  await context.close();
  await loginWithOther(world);
}

/** The signed request bodies that a page sends. */
function watchSignatures(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    const body = request.postData() ?? '';
    if (body.includes('"signature"')) sent.push(body);
  });
  return sent;
}

/** The page shows a wallet's name as a short, harmless text, whatever the name contains. */
async function inspectAnnounced({ faults }: ConsoleWorld, page: Page): Promise<void> {
  const connect = page.getByRole('button', { name: /^Connect/ });
  await connect.first().waitFor();
  const names = await connect.allTextContents();
  expectTrue(names.length > 5 && names.length <= 20, `some of the wallets are offered: ${names.length}`);
  expectTrue(names[0] === 'Connect Test wallet (org.example.wallet)', `the own wallet is there: ${names[0]}`);
  expectTrue(names.includes('Connect Test wallet (evil.example)'), 'one of the same name is told from it');
  for (const name of names) {
    expectTrue([...name].length <= 140, `a name is short: ${name.length}`);
    expectTrue(!/[\p{Cf}\p{Cc}]/u.test(name), `a name hides nothing: ${name}`);
  }
  const elements: unknown = await page.evaluate(
    `[...document.querySelectorAll('img, iframe, script:not([src]), [onerror]')].length + (window.hit ?? 0)`,
  );
  expectTrue(elements === 0, 'no name becomes an element, and no icon is shown');
  for (const width of [360, 1_280]) {
    await page.setViewportSize({ width, height: 900 });
    faults.push(...(await inspectLayout(page, `wallets, ${width} wide`)));
  }
}

/** The person can ask a wallet again after it was silent, declined or offered no account. */
async function connectAfterAll({ page, owner }: Person): Promise<void> {
  const connect = /^Connect Test wallet \(org/;
  owner.misbehave = never;
  await press(page, connect);
  await see(page, 'The wallet is asked');
  await press(page, 'Stop waiting');
  await see(page, 'You have stopped waiting');
  owner.misbehave = () => reject(4001, 'declined');
  await press(page, connect);
  await see(page, 'You have declined');
  for (const answer of [[], null, 'x', [{ address: 1 }], ['0x1'], { 0: owner.account.address }]) {
    owner.misbehave = async () => answer;
    await press(page, connect);
    await see(page, 'The wallet has failed');
  }
  owner.misbehave = undefined;
  await press(page, connect);
  await see(page, 'is connected as');
}

type Signing = {
  readonly does: string;
  readonly shows: string | RegExp;
  readonly misbehave: NonNullable<Owner['misbehave']>;
};

function signings(owner: Owner): Signing[] {
  const stranger = createAccount();
  let isAway = false;
  const answering =
    (answer: unknown): Owner['misbehave'] & object =>
    async ({ method }, behave) =>
      method === typed ? answer : behave();
  const rejecting =
    (code: number, message: string): Owner['misbehave'] & object =>
    ({ method }, behave) =>
      method === typed ? reject(code, message) : behave();
  const noSignature = /did not answer with a signature/;
  return [
    {
      does: 'says that it switches and does not',
      shows: 'stays on another chain',
      misbehave: async ({ method }, behave) => (method === 'eth_chainId' ? '0x1' : behave()),
    },
    {
      does: 'leaves the chain as soon as it has switched',
      shows: 'stays on another chain',
      async misbehave({ method }, behave) {
        if (method === 'wallet_switchEthereumChain') isAway = !isAway;
        return method === 'eth_chainId' ? `0x${(isAway ? 1 : chainId + 1).toString(16)}` : behave();
      },
    },
    {
      does: 'does not know the chain',
      shows: 'does not know this chain',
      misbehave: ({ method }, behave) => {
        if (method === 'wallet_switchEthereumChain') return reject(4902, 'unknown');
        return method === 'eth_chainId' ? Promise.resolve('0x1') : behave();
      },
    },
    {
      does: 'signs with another account',
      shows: 'with another account than it has shown',
      misbehave: async ({ method, params }, behave) =>
        method === typed && Array.isArray(params) ? stranger.signTypedData(JSON.parse(params[1])) : behave(),
    },
    {
      does: 'signs another nonce',
      shows: 'signed something else',
      async misbehave({ method, params }, behave) {
        if (method !== typed || !Array.isArray(params)) return behave();
        const asked = JSON.parse(params[1]);
        const message = { ...asked.message, nonce: '7' };
        return owner.account.signTypedData({ ...asked, message });
      },
    },
    { does: 'answers with a text', shows: noSignature, misbehave: answering('signed') },
    { does: 'answers with nothing', shows: noSignature, misbehave: answering('0x') },
    { does: 'answers with zeros', shows: noSignature, misbehave: answering(`0x${'00'.repeat(65)}`) },
    { does: 'answers with an object', shows: noSignature, misbehave: answering({ r: 1, s: {} }) },
    {
      does: 'answers without an end',
      shows: noSignature,
      misbehave: answering('0x'.padEnd(5_000_000, '1b')),
    },
    {
      does: 'breaks down',
      shows: 'The wallet has failed',
      misbehave: rejecting(-32_603, 'Internal error'),
    },
    {
      does: 'rejects with markup',
      shows: 'The wallet says: <img src=x onerror=window.hit=1>evil',
      misbehave: rejecting(1, `<img src=x onerror=window.hit=1>\u202eevil${'\n!'.repeat(10_000)}`),
    },
    { does: 'declines', shows: 'You have declined', misbehave: rejecting(4001, 'declined') },
  ];
}

/** A signature that arrives after the person has stopped waiting is not sent. */
async function signLate({ page, owner }: Person, sent: readonly string[]): Promise<void> {
  const late = Promise.withResolvers<void>();
  const signed = Promise.withResolvers<void>();
  owner.misbehave = async ({ method }, behave) => {
    if (method !== typed) return behave();
    await late.promise;
    const signature = await behave();
    signed.resolve();
    return signature;
  };
  await press(page, 'Sign in the wallet');
  await see(page, 'The wallet is asked');
  await press(page, 'Stop waiting');
  await see(page, 'You have stopped waiting');
  late.resolve();
  await signed.promise;
  // By the end of this time-out, the page has handled the wallet's late answer.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
  expectTrue(sent.length === 0, 'what is signed too late is not sent');
}

/** A wallet that shows one account and signs with another logs nobody in. */
async function loginWithOther(world: ConsoleWorld): Promise<void> {
  const [shown, other] = [createAccount(), createAccount()];
  const { page, owner, context } = await world.invite(shown, `${world.baseUrl}/console/awaiting`);
  const sent = watchSignatures(page);
  await press(page, /^Connect/);
  owner.misbehave = async ({ method, params }, behave) =>
    method === 'personal_sign' && Array.isArray(params)
      ? other.signMessage({ message: { raw: params[0] } })
      : behave();
  await press(page, 'Log in with this wallet');
  await see(page, 'with another account than it has shown');
  owner.misbehave = ({ method }, behave) => (method === 'personal_sign' ? never() : behave());
  await press(page, 'Log in with this wallet');
  await press(page, 'Stop waiting');
  await see(page, 'You have stopped waiting');
  expectTrue(sent.length === 0, 'no signature is sent for it');
  owner.misbehave = undefined;
  await press(page, 'Log in with this wallet');
  await see(page, 'Logged in as');
  await context.close();
}
