import { type Hex, pad } from 'viem';
import { list, object, readObject, write } from '../editJson.ts';
import { buildDepositedLease, landlord, submitter, tenant } from './depositedLease.ts';
import { signCall } from './sealChain.ts';

const elsewhere: Hex = `0x${'bb'.repeat(20)}`;

/**
 * A file without any signature of the people whom it names. Each transaction is a call by a stranger to some
 * other contract; the receipts, which the forger wrote, speak of the people's permits. All hashes and proofs
 * are right for the blocks that the forger made up.
 */
export async function inventSteps(): Promise<string> {
  const calls = [0, 1, 2, 3].map((nonce) =>
    signCall(submitter, { nonce, chainId: 84532, to: elsewhere, data: '0x12345678' }),
  );
  const raws = await Promise.all(calls);
  const text = await buildDepositedLease({
    alter({ steps }) {
      for (const [at, step] of steps.entries()) Object.assign(step, { raw: raws[at], type: '0x2' });
      const sample = steps[2]?.logs[1];
      if (!sample) throw new Error('no permit was given');
      for (const [at, { address }] of [[1, landlord] as const, [3, tenant] as const]) {
        const accepted = steps[at]?.logs[0];
        const [event, , submitted] = sample.topics;
        if (!accepted || !event || !submitted) throw new Error('no input was accepted');
        const inputId: Hex = `0x${accepted.data.slice(2, 66)}`;
        steps[at]?.logs.push({ ...sample, topics: [event, pad(address), submitted, inputId] });
      }
    },
  });
  const file = readObject(text);
  for (const input of list(file, 'inputs')) object(input).permit = null;
  return write({ ...file, state: null, notes: ['no_state_proof', 'signature_not_readable'] });
}
