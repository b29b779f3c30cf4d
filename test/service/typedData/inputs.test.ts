import { isHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inputRecordShape, recordShape } from '../../../src/api/shapes/resources.ts';
import { signableInputShape } from '../../../src/api/shapes/signableShape.ts';
import { deployLease, type Lease } from '../support/leases.ts';
import { outcome } from '../support/outcome.ts';
import { makeRentPayable } from '../support/payableRent.ts';
import { createAccount } from '../support/permits.ts';
import { signAnswer } from '../support/signable.ts';
import { chainId } from '../support/testChain.ts';
import { startTypedDataScene, type TypedDataScene } from './support/typedDataScene.ts';

let scene: TypedDataScene;
beforeAll(async () => {
  scene = await startTypedDataScene();
});
afterAll(() => scene?.close());

describe('the typed data of an input', () => {
  let lease: Lease;
  beforeAll(async () => {
    lease = await deployLease(scene.principal, scene);
  });
  const accept = () => ({
    inputId: 'accept',
    values: { months: '4', remark: 'gladly', code: 'A' },
    signer: lease.tenant.address,
  });

  test('signed as they come make a permit that the service and the agreement take', async () => {
    const answer = await scene.prepareInput(lease.id, accept());
    const data = signableInputShape.strict().parse(answer.body.data);
    expect(data).toMatchObject({
      primaryType: 'PermitInput',
      domain: { name: 'AgreementEngine', version: '1', chainId, verifyingContract: lease.address },
      message: { nonce: '0', deadline: String(data.deadline) },
      verdict: { ok: true, message: 'If signed unchanged, the permit would be accepted and sent now.' },
    });
    const { digest } = await lease.sign({ ...accept(), account: lease.tenant, deadline: data.deadline });
    expect(data.digest).toBe(digest);

    const permit = await signAnswer(lease.tenant, answer);
    const sent = await scene.post(`${lease.id}/input`, { ...accept(), ...permit });
    expect(sent.status).toBe(200);
    const { txHash } = inputRecordShape.parse(sent.body.data);
    const receipt = await scene.chain.client.getTransactionReceipt({ hash: `0x${txHash?.slice(2)}` });
    expect(receipt.status).toBe('success');
  });

  test('may be asked for by the address of the contract', async () => {
    const knock = { inputId: 'knock', values: {}, signer: createAccount().address };
    const fresh = await deployLease(scene.principal, scene);
    expect((await scene.prepareInput(fresh.address, knock)).body.data).toMatchObject({
      domain: { verifyingContract: fresh.address },
    });
  });

  test('come with the word that an action of the agreement would fail, and why, and then that it would not', async () => {
    const { id, tenant, landlord } = await deployAccepted();
    const pay = { inputId: 'pay', values: {}, signer: landlord.address };
    const answer = await scene.prepareInput(id, pay);
    expect(answer.status).toBe(200);
    expect(scene.verdictOf(answer)).toMatchObject({ ok: false, reason: 'action_reverted' });
    expect(scene.verdictOf(answer).message).toMatch(
      /^The transaction would revert\. The contract says: "ERC20Insufficient/,
    );

    // The API refuses the permit for the same reason as the verdict.
    const permit = await signAnswer(landlord, answer);
    const refused = outcome(await scene.post(`${id}/input`, { ...pay, ...permit }));
    expect(refused).toMatchObject({ status: 409, message: scene.verdictOf(answer).message });

    const { address } = recordShape.parse(
      (await scene.principal.call('GET', `/v0/agreements/${id}`)).body.data,
    );
    if (!isHex(address)) throw new Error('the lease has no address');
    await makeRentPayable(scene.chain, { tenant: tenant.address, agreement: address });
    expect(scene.verdictOf(await scene.prepareInput(id, pay))).toMatchObject({ ok: true });
  });

  test('come with the word that no wallet could send it', async () => {
    const setStatus = (status: string) =>
      scene.service.handle.pool.query('update service.relayer_wallets set status = $1', [status]);
    const knock = { inputId: 'knock', values: {}, signer: createAccount().address };
    const fresh = await deployLease(scene.principal, scene);
    await setStatus('unfunded');
    try {
      const answer = await scene.prepareInput(fresh.id, knock);
      expect(answer.status).toBe(200);
      expect(scene.verdictOf(answer)).toMatchObject({ ok: false, reason: 'relayer_unfunded' });
    } finally {
      await setStatus('active');
    }
  });

  /** Deploys a lease in which the rent is due. */
  async function deployAccepted(): Promise<Lease> {
    const accepted = await deployLease(scene.principal, scene);
    const values = { months: '4', remark: 'gladly' };
    const { body } = await accepted.sign({ inputId: 'accept', values, account: accepted.tenant });
    expect((await scene.post(`${accepted.id}/input`, body)).status).toBe(200);
    return accepted;
  }
});
