import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeDataFields, nameHash } from '../../../src/protocol/index.ts';
import { schemaStyle } from '../support/documents.ts';
import type { Lease } from '../support/leases.ts';
import { createAccount, signDeploy, signInput } from '../support/permits.ts';
import { chainId } from '../support/testChain.ts';
import { accept, type InputScene, startInputScene } from './support/inputScene.ts';

let scene: InputScene;
beforeAll(async () => {
  scene = await startInputScene();
});
afterAll(() => scene?.close());

describe('an input is refused and nothing is stored', () => {
  let lease: Lease;
  beforeAll(async () => {
    lease = await scene.deploy();
  });

  test('with a signature over something else, and the answer has the expected data', async () => {
    const { body, payload } = await lease.sign({ ...accept, account: lease.tenant });
    const altered = { ...body, values: { ...body.values, months: '7' } };
    const refusal = await scene.expectRefused(lease, altered, 400, 'signature_mismatch');
    expect(refusal.details).toMatchObject({
      signer: lease.tenant.address,
      recoveredAddress: expect.stringMatching(/^0x/),
      digest: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      domain: { name: 'AgreementEngine', version: '1', chainId, verifyingContract: lease.address },
      primaryType: 'PermitInput',
      message: { inputId: nameHash('accept'), nonce: '0', deadline: String(body.deadline) },
    });
    expect(JSON.stringify(refusal.details)).not.toContain(payload);
    // The signature also covers the order of the values.
    const { months, ...rest } = body.values;
    await scene.expectRefused(lease, { ...body, values: { ...rest, months } }, 400, 'signature_mismatch');
  });

  test('with a signature over an input without fields, and the difference is named', async () => {
    const account = createAccount();
    const values = { voter: account.address };
    const permit = await signDeploy({
      account,
      agreement: schemaStyle,
      values,
      chainId,
      factory: scene.chain.factory,
      docUri: 'x:1',
    });
    const body = { agreement: schemaStyle, displayName: 'Poll', chainId, initValues: values, ...permit };
    const draft = await scene.principal.call('POST', '/v0/agreements/deploy-with-permit', { body });
    const { id } = { ...lease, ...Object(draft.body.data) };
    const agreementAddress = await scene.worker.fold(id);
    const vote = {
      account,
      agreement: schemaStyle,
      agreementAddress,
      chainId,
      inputId: 'vote',
      values: { choice: 'yes' },
    };
    const input = await signInput({ ...vote, payload: encodeDataFields([]) });
    const refusal = await scene.expectRefused({ id }, input.body, 400, 'signature_mismatch');
    expect(refusal.message).toContain('does not read fields from `schema` objects');
    expect((await scene.submit(id, (await signInput(vote)).body)).status).toBe(200);
  });
});
