import { readFileSync } from 'node:fs';
import { pingPong } from '../../../bench/pingPong.ts';
import { deployAgreement } from '../../../client/src/viem/index.ts';
import { type Account, chainId, createAccount, createClient } from './stack.ts';

export { pingPong };

const text = readFileSync(
  new URL('../../../examples/agreements/mural-commission.json', import.meta.url),
  'utf8',
);

/** The mural's document, with two parties. */
export const mural: Record<string, unknown> = JSON.parse(text);

/** A deployment of the mural before its signature. */
export function describeMural(parties: { patron: Account; artist: Account }) {
  return {
    agreement: mural,
    chainId,
    displayName: 'Mural',
    initValues: { wall: 'East wall', wallSquareMetres: '84' },
    participants: [
      { variableKey: 'patron', walletAddress: parties.patron.address },
      { variableKey: 'artist', walletAddress: parties.artist.address },
    ],
  };
}

/** Deploys an agreement that anyone can move for ever. */
export function deployPingPong(account = createAccount()) {
  return deployAgreement({
    client: createClient(),
    account,
    agreement: pingPong,
    chainId,
    displayName: 'Ping pong',
  });
}
