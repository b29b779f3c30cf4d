import { z } from 'zod';
import { describeMural, mural } from '../../client/support/agreements.ts';
import { type Account, chainId, createAccount } from '../../client/support/stack.ts';
import type { Agent, Answer } from './connectAgent.ts';
import { act } from './signPrepared.ts';

/** The subjects of the tasks: two murals and a loan, each with a unique name. */
export type TaskWorld = {
  readonly patron: Account;
  readonly artist: Account;
  readonly stranger: Account;
  readonly mural: Record<string, unknown>;
  readonly loan: Record<string, unknown>;
  /** The arguments of each mural's deployment. */
  readonly muralDeployment: Record<string, unknown>;
  readonly names: { readonly offered: string; readonly inReview: string };
  readonly sketchHash: string;
};

const idShape = z.object({ agreementId: z.string() });
export const idIn = ({ data }: Answer): string => idShape.parse(data).agreementId;

export async function createTaskWorld(agent: Agent): Promise<TaskWorld> {
  const [patron, artist, stranger] = [createAccount(), createAccount(), createAccount()];
  const mark = stranger.address.slice(2, 10);
  const names = { offered: `Courtyard mural ${mark}`, inReview: `Harbour mural ${mark}` };
  const { displayName: _name, ...muralDeployment } = describeMural({ patron, artist });
  const sketchHash = `0x${'5c'.repeat(32)}`;
  const deploy = async (displayName: string) =>
    idIn(await act(agent, patron, { purpose: 'deploy', ...muralDeployment }, { displayName }));
  await deploy(names.offered);
  const agreementId = await deploy(names.inReview);
  const send = (inputId: string, values: object) =>
    act(agent, artist, { purpose: 'input', agreementId, inputId, values });
  await send('acceptCommission', { artistSignature: 'A' });
  await send('submitSketch', { sketchUri: 'https://example.com/sketch', sketchHash });
  const { contents } = await agent.client.readResource({
    uri: 'agreements://examples/simple-agreement.json',
  });
  const [{ text }] = z.tuple([z.looseObject({ text: z.string() })]).parse(contents);
  const loan = z.looseObject({}).parse(JSON.parse(text));
  return { patron, artist, stranger, mural, loan, muralDeployment, names, sketchHash };
}

export { chainId };
