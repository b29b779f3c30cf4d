import { createPublicClient, http } from 'viem';
import { readAdoptedPast } from '../../../../src/api/agreements/adoptedPast.ts';
import { storeAdopted } from '../../../../src/api/agreements/adoptedRecord.ts';
import { lookIntoIndex } from '../../../../src/api/agreements/indexedAgreement.ts';
import { lampVariables } from '../../projector/support/lamp.ts';
import { clone, lamp, type Scene } from '../../projector/support/scene.ts';
import { insertPrincipal } from '../../projector/support/serviceRows.ts';
import { chainId, type Fixture } from '../../projector/support/setup.ts';
import { readFeed, summarise } from './readFeed.ts';

/** The confirmations that a scene of adoptions waits for. */
export const confirmations = 3;
/** The index shows the whole chain, so no node is asked. */
const client = createPublicClient({ transport: http('http://127.0.0.1:1') });

/** Adopts the agreement at the chain's head as an import does, and folds nothing. */
export async function adopt({ fixture, scene }: { fixture: Fixture; scene: Scene }) {
  const { database } = fixture;
  const principalId = await insertPrincipal(database);
  const { agreement } = await lookIntoIndex(database, { chainId, address: clone });
  if (!agreement) throw new Error('the index does not show the agreement');
  const latestBlock = BigInt(scene.chain().length);
  const known = { chainId, address: clone, latestBlock, updatedBlock: agreement.updatedBlockNumber };
  const past = await readAdoptedPast(known, { database, client });
  const adopted = {
    ...{
      principalId,
      chainId,
      address: clone,
      found: { ...agreement, latestBlock },
      past,
      displayName: 'Found',
    },
    ...{ document: lamp.text, templateId: 'did:template:lamp', observers: [] },
    values: { values: lampVariables, participants: [], contributors: [], issues: [] },
  };
  const stored = await storeAdopted(database, adopted, 'https://agreements.example');
  if (!stored) throw new Error('nothing was stored');
  return {
    recordId: stored.id,
    past,
    /** Confirms everything and reads the feed. */
    async tell() {
      for (let count = 1; count < confirmations; count++) await scene.mine();
      return summarise((await readFeed(fixture.pool, principalId)).events);
    },
  };
}
