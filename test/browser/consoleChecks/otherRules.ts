import type { Hex } from 'viem';
import { awaitReceipt } from '../../../contracts-test/awaitReceipt.ts';
import { deployTestToken } from '../../../contracts-test/deploy.ts';
import { type DeployingChain, deployDirectly } from '../../service/support/directDeployment.ts';
import { reference } from '../../service/support/documents.ts';
import { createAnvilClient } from '../../support/anvilClient.ts';
import { type ConsoleWorld, chainId, createAccount, expectTrue, see } from './consoleWorld.ts';

function writeAgreement(name: string, end: string) {
  return {
    metadata: { templateId: 'did:template:errand', name },
    variables: { runner: { type: 'address', subtype: 'participant', name: 'Runner' } },
    content: { type: 'md', data: `# ${name}\n\n${reference('runner')} runs an errand.` },
    execution: {
      initialize: { initialState: 'ASKED', data: { runner: reference('runner') } },
      states: { ASKED: {}, DONE: {}, REFUSED: {} },
      inputs: { answer: { issuer: { type: 'participant', variable: 'runner' }, schema: {} } },
      transitions: [
        { from: 'ASKED', to: end, conditions: [{ input: 'answer' }] },
        { from: 'DONE', to: 'REFUSED', conditions: [{ input: 'answer' }] },
      ],
    },
  };
}

/** Imported agreements whose contracts do something else than their documents, and those of which nobody can tell. */
export async function tellOtherRules(world: ConsoleWorld): Promise<void> {
  const runner = createAccount();
  const chain = await openChain(world);
  const values = { runner: runner.address };
  const importAs = async (name: string, deployment: { isIndirect?: boolean; readAs?: unknown }) => {
    const agreement = writeAgreement(name, 'DONE');
    const address = await deployDirectly(chain, { agreement, values, ...deployment });
    return world.client.agreements.import({ agreement, chainId, address, displayName: name });
  };
  const honest = await importAs('Honest errand', {});
  const other = await importAs('Other errand', { readAs: writeAgreement('Other errand', 'REFUSED') });
  const unknown = await importAs('Unknown errand', { isIndirect: true });

  const { page, context } = await world.invite(runner);
  const open = async ({ id }: { id: string }) => {
    await page.goto(`${world.baseUrl}/console/agreements/${id}`);
    await page.getByRole('button', { name: /^Act/ }).waitFor();
    return (await page.locator('.note').allInnerTexts()).join('\n');
  };
  expectTrue((await open(honest)) === '', 'nothing is said of a contract that is as its document says');
  const said = await open(other);
  for (const part of ['does not do what this document says', 'where inputs lead'])
    expectTrue(said.includes(part), `${part} is told, in: ${said}`);
  const doubt = await open(unknown);
  expectTrue(doubt.includes('cannot be told'), `the doubt is told, in: ${doubt}`);
  await see(page, 'by a wallet that is not known here');
  await page.locator('.facts-panel').getByText('not known', { exact: true }).waitFor();
  await see(page, 'The text with the values that are known.');

  await page.getByRole('button', { name: /^Act/ }).click();
  await see(page, 'It is not known which wallet may do this');
  await page.getByRole('button', { name: /^Connect/ }).click();
  await page.getByRole('button', { name: 'Review what to sign' }).click();
  await page.getByRole('button', { name: 'Sign in the wallet' }).click();
  await page.locator('.steps').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.locator('.tag.now', { hasText: 'DONE' }).waitFor();
  await context.close();
}

async function openChain({ stack }: ConsoleWorld): Promise<DeployingChain> {
  const served = stack.chains.find((chain) => chain.chainId === chainId);
  if (!served) throw new Error(`the stack has no chain ${chainId}`);
  const { rpcUrl, factory } = served;
  const client = createAnvilClient(rpcUrl);
  const [account = '0x'] = await client.getAddresses();
  await client.setBalance({ address: account, value: 10n ** 20n });
  return {
    client,
    factory,
    token: await deployTestToken({ rpcUrl }),
    async send(to: Hex, data: Hex) {
      const hash = await client.sendTransaction({ account, chain: null, to, data });
      await awaitReceipt(client, hash);
      return hash;
    },
  };
}
