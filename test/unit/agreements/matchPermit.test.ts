import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { matchPermit } from '../../../src/api/agreements/matchPermit.ts';
import { splitSignature } from '../../service/support/permits.ts';

const signer = privateKeyToAccount(generatePrivateKey());
const current = 100n;

function buildTypedData(nonce: bigint) {
  const types = { Permit: [{ name: 'nonce', type: 'uint256' }] };
  return { domain: { name: 'Test' }, types, primaryType: 'Permit', message: { nonce } } as const;
}

/** Matches the signer's permit for a nonce; also returns how many digests were tried. */
async function matchFor(nonce: bigint) {
  let tried = 0;
  const { v, r, s } = splitSignature(await signer.signTypedData(buildTypedData(nonce)));
  const permit = {
    signer: signer.address,
    signature: { v: v === 27 ? 27 : 28, r, s } as const,
    buildTypedData(other: bigint) {
      tried++;
      return buildTypedData(other);
    },
    findHint: async () => undefined,
  };
  const outcome = await matchPermit(permit, { nonce: current, client: undefined }).then(
    () => 'matched',
    (error) => error.reason,
  );
  return { outcome, tried };
}

test.each([
  [100n, 'matched'],
  [99n, 'stale_nonce'],
  [92n, 'stale_nonce'],
  [91n, 'signature_mismatch'],
  [101n, 'future_nonce'],
  [108n, 'future_nonce'],
  [109n, 'signature_mismatch'],
])('a permit for the nonce %i of a signer whose nonce is 100: %s', async (nonce, expected) => {
  expect((await matchFor(nonce)).outcome).toBe(expected);
});

test('a permit that fits no nonce costs few recoveries', async () => {
  expect((await matchFor(10_000n)).tried).toBeLessThanOrEqual(17);
});
