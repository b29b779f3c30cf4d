import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWithInput, submission } from './support/agreement.ts';
import { accounts, startTestChain, type TestChain } from './support/chain.ts';
import { addressField, condition, id, senderIs, senderIsOneOf, uintField } from './support/language.ts';
import { customError, withoutData } from './support/reverts.ts';

const owner = accounts.owner.address;
const signer = accounts.signer.address;
const submitter = accounts.submitter.address;
const stranger = accounts.stranger.address;

const varNotSet = (name: string) => customError('VarNotSet(bytes32 fieldId)', id(name));
const notAllowed = customError('SenderAddressNotAllowed(address sender)', submitter);

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

/** The answer that `submitter` gets from an agreement with this one condition. */
async function submitUnder(
  rule: ReturnType<typeof senderIs>,
  variables: ReturnType<typeof addressField>[] = [],
) {
  const agreement = await createWithInput(chain, { conditions: [rule] }, variables);
  return chain.findRevertData(submission(agreement, 'act', [], submitter));
}

describe('SENDER_EQ_VAR_ADDRESS', () => {
  it('accepts the address in the variable alone', async () => {
    expect(await submitUnder(senderIs('party'), [addressField('party', submitter)])).toBeNull();
    expect(await submitUnder(senderIs('party'), [addressField('party', stranger)])).toBe(
      customError('SenderAddressMismatch(address sender, address expected)', submitter, stranger),
    );
  });

  it('refuses everybody while the variable has no value', async () => {
    expect(await submitUnder(senderIs('party'))).toBe(varNotSet('party'));
  });

  it('refuses everybody when the variable is not an address', async () => {
    expect(await submitUnder(senderIs('party'), [uintField('party', BigInt(submitter))])).toBe(
      customError('TypeMismatch(string expected, string actual)', 'ADDRESS', 'UINT256'),
    );
  });
});

describe('SENDER_IN_ALLOWED_ADDRESSES', () => {
  const party = addressField('party', signer);
  const self = addressField('self', submitter);

  it('accepts every address in a variable or among the literals', async () => {
    expect(await submitUnder(senderIsOneOf(['party', 'self'], [owner]), [party, self])).toBeNull();
    expect(await submitUnder(senderIsOneOf(['party'], [owner, submitter]), [party])).toBeNull();
    expect(await submitUnder(senderIsOneOf([], [submitter]))).toBeNull();
  });

  it('refuses everybody else, and everybody if it names nobody', async () => {
    expect(await submitUnder(senderIsOneOf(['party'], [owner, stranger]), [party])).toBe(notAllowed);
    expect(await submitUnder(senderIsOneOf([], []))).toBe(notAllowed);
  });

  it('reads no variable after the one that matches', async () => {
    expect(await submitUnder(senderIsOneOf(['self', 'unset'], []), [self])).toBeNull();
  });

  it('refuses when a variable without value comes before the match', async () => {
    expect(await submitUnder(senderIsOneOf(['unset', 'self'], []), [self])).toBe(varNotSet('unset'));
    expect(await submitUnder(senderIsOneOf(['party', 'unset', 'self'], []), [party, self])).toBe(
      varNotSet('unset'),
    );
  });

  it('reads every variable before the literals', async () => {
    expect(await submitUnder(senderIsOneOf(['unset'], [submitter]))).toBe(varNotSet('unset'));
  });

  it('refuses a variable that is not an address', async () => {
    expect(await submitUnder(senderIsOneOf(['party'], [submitter]), [uintField('party', 1n)])).toBe(
      customError('TypeMismatch(string expected, string actual)', 'ADDRESS', 'UINT256'),
    );
  });

  it('reverts without data when its list does not decode', async () => {
    expect(await submitUnder(condition('SENDER_IN_ALLOWED_ADDRESSES', 'party', '0x'))).toBe(withoutData);
  });
});

describe('an input without a condition on the sender', () => {
  it('may be submitted by anyone', async () => {
    const agreement = await createWithInput(chain, {});
    expect(await chain.findRevertData(submission(agreement, 'act', [], stranger))).toBeNull();
  });
});
