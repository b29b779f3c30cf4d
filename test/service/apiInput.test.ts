import { encodeFunctionData, getAddress, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { testTokenAbi } from '../../contracts-test/abis/TestToken.ts';
import { awaitReceipt } from '../../contracts-test/awaitReceipt.ts';
import { inputRecordShape, recordShape } from '../../src/api/http/resources.ts';
import { encodeDataFields, nameHash } from '../../src/protocol/index.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type Answer, createCall } from './support/call.ts';
import { buildLease, schemaStyle } from './support/documents.ts';
import { deployLease, type Lease } from './support/leases.ts';
import { outcome } from './support/outcome.ts';
import { createAccount, signDeploy, signInput } from './support/permits.ts';
import { type StandInWorker, startStandInWorker } from './support/standInWorker.ts';
import { chainId, offerWallet, startTestChain, type TestChain } from './support/testChain.ts';
import {
  startTestApi,
  startTestService,
  type TestPrincipal,
  type TestService,
} from './support/testService.ts';

let chain: TestChain;
let service: TestService;
let worker: StandInWorker;
let principal: TestPrincipal;
beforeAll(async () => {
  chain = await startTestChain();
  service = await startTestService({
    rpcUrls: { [chainId]: chain.rpcUrl },
    env: { DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000' },
  });
  principal = await service.createPrincipal();
  await offerWallet(service, chain);
  worker = await startStandInWorker(service, chain);
});
afterAll(async () => {
  await worker.stop();
  await service.close();
  await chain.stop();
});

const deploy = () => deployLease(principal, { chain, worker });
const submit = (id: string, body: unknown, { call } = principal) =>
  call('POST', `/v0/agreements/${id}/input`, { body });
const accept = { inputId: 'accept', values: { months: '4', remark: 'gladly', code: 'A' } };

async function expectRefused(lease: Pick<Lease, 'id'>, body: unknown, status: number, reason: string) {
  const before = await service.countRows();
  const answer = await submit(lease.id, body);
  expect(outcome(answer)).toMatchObject({ status, details: { reason } });
  expect(await service.countRows()).toEqual(before);
  return outcome(answer);
}

/** Runs while the chain takes transactions and mines none; in the end all are mined. */
async function whileNothingIsMined<Result>(run: () => Promise<Result>): Promise<Result> {
  await chain.client.setAutomine(false);
  try {
    return await run();
  } finally {
    await chain.client.setAutomine(true);
    await chain.client.mine({ blocks: 1 });
  }
}

const isOneWaiting = async () => {
  const [mined, waiting] = await Promise.all(
    (['latest', 'pending'] as const).map((blockTag) =>
      chain.client.getTransactionCount({ address: chain.relayer, blockTag }),
    ),
  );
  return (waiting ?? 0) > (mined ?? 0);
};

/** Sends a permit past the service, and returns before it is mined. */
async function sendUnmined(lease: Lease, { body, payload }: Awaited<ReturnType<Lease['sign']>>) {
  const { signer, inputId, deadline, signature } = body;
  const { v, r, s } = signature;
  const data = encodeFunctionData({
    abi: agreementEngineAbi,
    functionName: 'submitInputWithPermit',
    args: [signer, nameHash(inputId), payload, BigInt(deadline), v, r, s],
  });
  await chain.client.sendTransaction({ account: chain.relayer, chain: null, to: lease.address, data });
  await waitUntil('it waits to be mined', isOneWaiting);
}

describe('an accepted input', () => {
  test('answers with its transaction, which does on chain what was signed', async () => {
    const lease = await deploy();
    const { body, payload } = await lease.sign({ ...accept, account: lease.tenant });
    const answer = await submit(lease.id, body);
    expect(answer.status).toBe(200);
    const input = inputRecordShape.strict().parse(answer.body.data);
    expect(input).toMatchObject({
      agreementId: lease.id,
      agreementAddress: lease.address,
      chainId,
      inputId: 'accept',
      userId: principal.id,
      signer: lease.tenant.address,
      status: 'PENDING',
      payload,
      values: { months: '4', remark: 'gladly', code: 'A' },
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(Object.keys(input.values)).toEqual(Object.keys(accept.values));
    const hash: Hex = `0x${input.txHash?.slice(2)}`;
    expect((await chain.client.getTransactionReceipt({ hash })).status).toBe('success');
  });

  test('may be sent to the address of the contract, in whatever case', async () => {
    const lease = await deploy();
    const { body } = await lease.sign({ inputId: 'knock', values: {}, account: createAccount() });
    const answer = await submit(lease.address.toLowerCase(), body);
    expect(answer.body.data).toMatchObject({ agreementId: lease.id });
  });

  test('of a variable that the chain holds by now lets the new issuer act, before the record knows', async () => {
    const lease = await deploy();
    const keeper = createAccount();
    const appoint = { inputId: 'appoint', values: { keeper: keeper.address }, account: lease.landlord };
    expect((await submit(lease.id, (await lease.sign(appoint)).body)).status).toBe(200);
    const { body } = await lease.sign({ inputId: 'inspect', values: {}, account: keeper });
    expect((await submit(lease.id, body)).status).toBe(200);
  });

  test('that is not signed in time is kept, and answers with it later', async () => {
    const hasty = await startTestApi(service.databaseUrl, {
      rpcUrls: { [chainId]: chain.rpcUrl },
      env: { SIGNING_WAIT_MS: '50' },
    });
    const lease = await deploy();
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const call = createCall(hasty.baseUrl, principal.key);
    const early = await worker.hold(() => submit(lease.id, body, { ...principal, call }));
    expect(outcome(early)).toMatchSnapshot();
    expect(early.headers.get('retry-after')).toBe('5');
    expect((await submit(lease.id, body)).body.data).toMatchObject({ status: 'PENDING', inputId: 'accept' });
    await hasty.close();
  });
});

describe('the same permit again', () => {
  test('leads to the same input, also when both come at once', async () => {
    const lease = await deploy();
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit(lease.id, body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const again = await submit(lease.id, body);
    const ids = [...answers, again].map(({ body: { data } }) => inputRecordShape.parse(data).id);
    expect(new Set(ids).size).toBe(1);
  });

  test('opens the input again whose transaction had failed, while the permit is good', async () => {
    const lease = await deploy();
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const hasty = await startTestApi(service.databaseUrl, {
      rpcUrls: { [chainId]: chain.rpcUrl },
      env: { SIGNING_WAIT_MS: '1' },
    });
    const call = createCall(hasty.baseUrl, principal.key);
    await worker.hold(async () => {
      await submit(lease.id, body, { ...principal, call });
      await service.handle.pool.query(
        `with failed as (update service.transactions set state = 'failed', failure = '{"reason":"x","message":"y"}'
           where signer = $1 returning id)
         update service.inputs i set status = 'FAILED', error = '{"reason":"x","message":"y"}'
         from failed where i.transaction_id = failed.id`,
        [lease.tenant.address],
      );
    });
    const { status, body: answer } = await submit(lease.id, body);
    expect(status).toBe(200);
    expect(inputRecordShape.parse(answer.data)).toMatchObject({ status: 'PENDING' });
    expect(answer.data).not.toHaveProperty('error');
    await hasty.close();
  });
});

test('a permit that waits to be mined is recorded for another principal that sends it, and neither hears of the other', async () => {
  const other = await service.createPrincipal();
  const [landlord, tenant] = [createAccount(), createAccount()];
  const agreement = buildLease(chain.token);
  const values = { landlord: landlord.address, tenant: tenant.address, rent: '5' };
  const permit = await signDeploy({ account: landlord, agreement, values, chainId, factory: chain.factory });
  const body = { agreement, displayName: 'Lease', chainId, initValues: values, ...permit };
  const deployBy = async ({ call }: TestPrincipal) =>
    recordShape.parse((await call('POST', '/v0/agreements/deploy-with-permit', { body })).body.data).id;
  const [mine, theirs] = await whileNothingIsMined(async () => {
    const first = await deployBy(principal);
    await waitUntil('the deployment waits to be mined', isOneWaiting);
    return [first, await deployBy(other)];
  });
  expect(theirs).not.toBe(mine);
  const agreementAddress = await worker.fold(mine);
  expect(await worker.fold(theirs)).toBe(agreementAddress);

  const knock = { inputId: 'knock', values: {}, account: createAccount() };
  const input = await signInput({ ...knock, agreement, agreementAddress, chainId });
  const countInputs = async () => {
    const find = 'select 1 from service.inputs where signer = $1';
    return (await service.handle.pool.query(find, [knock.account.address])).rows.length;
  };
  const sent = await whileNothingIsMined(async () => {
    const answers = [submit(mine, input.body)];
    await waitUntil('the input waits to be mined', isOneWaiting);
    answers.push(submit(theirs, input.body, other));
    await Promise.race([answers[1], waitUntil('both are stored', async () => (await countInputs()) === 2)]);
    return answers;
  });
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const [own, foreign] = answers.map((answer) => inputRecordShape.parse(answer.body.data));
  expect(own).toMatchObject({ agreementId: mine, userId: principal.id });
  expect(foreign).toMatchObject({ agreementId: theirs, userId: other.id, txHash: own?.txHash });
  for (const secret of [principal.id, mine, own?.id])
    expect(JSON.stringify(answers[1]?.body)).not.toContain(secret);
});

describe('an input is refused and nothing is stored', () => {
  let lease: Lease;
  beforeAll(async () => {
    lease = await deploy();
  });

  test('for an agreement that is not deployed', async () => {
    const account = createAccount();
    const values = { landlord: account.address, tenant: account.address, rent: '1' };
    const { agreement } = lease;
    const permit = await signDeploy({ account, agreement, values, chainId, factory: chain.factory });
    const body = { agreement, displayName: 'Draft', chainId, initValues: values, ...permit };
    const draft = await principal.call('POST', '/v0/agreements/deploy-with-permit', { body });
    const { id } = { ...lease, ...Object(draft.body.data) };
    const input = await lease.sign({ ...accept, account: lease.tenant });
    expect(await expectRefused({ id }, input.body, 409, 'not_deployed')).toMatchSnapshot();
  });

  test('for an input that the document does not have', async () => {
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    for (const inputId of ['nothing', '__proto__', 'constructor'])
      await expectRefused(lease, { ...body, inputId }, 400, 'unknown_input');
  });

  test('in a state that does not accept it', async () => {
    const { body } = await lease.sign({ inputId: 'pay', values: {}, account: lease.tenant });
    expect(await expectRefused(lease, body, 409, 'state_not_accepting')).toMatchSnapshot();
  });

  test('that no transition names', async () => {
    const { body } = await lease.sign({ inputId: 'idle', values: {}, account: lease.tenant });
    expect(await expectRefused(lease, body, 409, 'no_transition')).toMatchSnapshot();
  });

  test('whose values break the document, with all issues at once', async () => {
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const values = { months: 14, code: 'lower', remark: 'x'.repeat(21), colour: 'red' };
    expect(await expectRefused(lease, { ...body, values }, 400, 'schema_mismatch')).toMatchSnapshot();
    for (const wrong of [{}, [], 'text', { months: 2.5 }, { months: 1e300 }, { months: null }])
      await expectRefused(lease, { ...body, values: wrong }, 400, 'schema_mismatch');
    expect((await submit(lease.id, { ...body, values: undefined })).status).toBe(400);
  });

  test('whose signer is no issuer', async () => {
    const stranger = createAccount();
    const { body } = await lease.sign({ ...accept, account: stranger });
    const refusal = await expectRefused(lease, body, 400, 'issuer_not_allowed');
    expect(refusal.details).toMatchObject({
      signer: stranger.address,
      allowedSigners: [lease.tenant.address],
    });
    const { body: unset } = await lease.sign({ inputId: 'inspect', values: {}, account: stranger });
    await expectRefused(lease, unset, 400, 'issuer_not_allowed');
  });

  test('after its deadline', async () => {
    const { body } = await lease.sign({ ...accept, account: lease.tenant, deadline: 1_700_000_000 });
    await expectRefused(lease, body, 400, 'permit_expired');
  });

  test('with a nonce that is used up, or whose turn has not come', async () => {
    const other = await deploy();
    const account = createAccount();
    const knock = { inputId: 'knock', values: {}, account };
    await submit(other.id, (await other.sign(knock)).body);
    const stale = await other.sign({ ...knock, deadline: Math.floor(Date.now() / 1000) + 99 });
    const refusal = await expectRefused(other, stale.body, 409, 'stale_nonce');
    expect(refusal.details).toMatchObject({ signedNonce: '0', currentNonce: '1' });
    const future = await expectRefused(
      other,
      (await other.sign({ ...knock, nonce: 2n })).body,
      409,
      'future_nonce',
    );
    expect(future.details).toMatchObject({ signedNonce: '2', currentNonce: '1' });
  });

  test('while another permit of the signer with this nonce is on its way', async () => {
    const other = await deploy();
    const account = createAccount();
    const knock = { inputId: 'knock', values: {}, account };
    const first = await other.sign(knock);
    const second = await other.sign({ ...knock, deadline: first.body.deadline + 1 });
    const isStored = async () => {
      const { rows } = await service.handle.pool.query(
        'select 1 from service.transactions where signer = $1',
        [account.address],
      );
      return rows.length === 1;
    };
    let sent: Promise<Answer> | undefined;
    await worker.hold(async () => {
      sent = submit(other.id, first.body);
      await waitUntil('the first permit is stored', isStored);
      const refusal = outcome(await submit(other.id, second.body));
      expect(refusal).toMatchObject({ status: 409, details: { reason: 'nonce_in_flight', nonce: '0' } });
    });
    expect((await sent)?.status).toBe(200);
  });

  test('while a permit of the signer with this nonce, which came by another way, waits to be mined', async () => {
    const other = await deploy();
    const knock = { inputId: 'knock', values: {}, account: createAccount() };
    const first = await other.sign(knock);
    const second = await other.sign({ ...knock, deadline: first.body.deadline + 1 });
    await whileNothingIsMined(async () => {
      await sendUnmined(other, first);
      const refusal = await expectRefused(other, second.body, 409, 'nonce_in_flight');
      expect(refusal.details).toMatchObject({ nonce: '0' });
    });
    await expectRefused(other, second.body, 409, 'stale_nonce');
  });

  test('while another input waits to be mined that leaves no transition for it', async () => {
    const other = await deploy();
    const first = await other.sign({ ...accept, account: other.tenant });
    const second = await other.sign({ inputId: 'knock', values: {}, account: createAccount() });
    await whileNothingIsMined(async () => {
      await sendUnmined(other, first);
      expect(await expectRefused(other, second.body, 409, 'state_not_accepting')).toMatchSnapshot();
    });
    const refusal = await expectRefused(other, second.body, 409, 'state_not_accepting');
    expect(refusal.details).toMatchObject({ currentState: 'ACTIVE', acceptingStates: ['OFFERED'] });
  });

  test('with a signature over something else, and what was expected is said', async () => {
    const { body, payload } = await lease.sign({ ...accept, account: lease.tenant });
    const altered = { ...body, values: { ...body.values, months: '7' } };
    const refusal = await expectRefused(lease, altered, 400, 'signature_mismatch');
    expect(refusal.details).toMatchObject({
      signer: lease.tenant.address,
      recoveredAddress: expect.stringMatching(/^0x/),
      digest: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      domain: { name: 'AgreementEngine', version: '1', chainId, verifyingContract: lease.address },
      primaryType: 'PermitInput',
      message: { inputId: nameHash('accept'), nonce: '0', deadline: String(body.deadline) },
    });
    expect(JSON.stringify(refusal.details)).not.toContain(payload);
    // The order of the values is signed as well.
    const { months, ...rest } = body.values;
    await expectRefused(lease, { ...body, values: { ...rest, months } }, 400, 'signature_mismatch');
  });

  test('whose action would revert, with the reason of the contract that it calls', async () => {
    const other = await deploy();
    await submit(other.id, (await other.sign({ ...accept, account: other.tenant })).body);
    const pay = await other.sign({ inputId: 'pay', values: {}, account: other.landlord });
    const refusal = await expectRefused(other, pay.body, 409, 'action_reverted');
    expect(refusal).toMatchObject({
      message: `The transaction would revert. ERC20InsufficientAllowance(${other.address}, 0, 5)`,
      details: { revert: { name: 'ERC20InsufficientAllowance', target: getAddress(chain.token) } },
    });
    await chain.client.setBalance({ address: other.tenant.address, value: 10n ** 18n });
    await chain.client.impersonateAccount({ address: other.tenant.address });
    const mint = { abi: testTokenAbi, functionName: 'mint', args: [other.tenant.address, 5n] } as const;
    await chain.send(chain.token, encodeFunctionData(mint));
    const approve = { abi: testTokenAbi, functionName: 'approve', args: [other.address, 5n] } as const;
    const hash = await chain.client.sendTransaction({
      account: other.tenant.address,
      chain: null,
      to: chain.token,
      data: encodeFunctionData(approve),
    });
    await awaitReceipt(chain.client, hash);
    expect((await submit(other.id, pay.body)).status).toBe(200);
  });

  test('with a signature over an input without fields, and the difference is named', async () => {
    const account = createAccount();
    const values = { voter: account.address };
    const permit = await signDeploy({
      account,
      agreement: schemaStyle,
      values,
      chainId,
      factory: chain.factory,
      docUri: 'x:1',
    });
    const body = { agreement: schemaStyle, displayName: 'Poll', chainId, initValues: values, ...permit };
    const draft = await principal.call('POST', '/v0/agreements/deploy-with-permit', { body });
    const { id } = { ...lease, ...Object(draft.body.data) };
    const agreementAddress = await worker.fold(id);
    const vote = {
      account,
      agreement: schemaStyle,
      agreementAddress,
      chainId,
      inputId: 'vote',
      values: { choice: 'yes' },
    };
    const input = await signInput({ ...vote, payload: encodeDataFields([]) });
    const refusal = await expectRefused({ id }, input.body, 400, 'signature_mismatch');
    expect(refusal.message).toContain('does not read fields from `schema` objects');
    expect((await submit(id, (await signInput(vote)).body)).status).toBe(200);
  });

  test('with members that are missing or unknown, all at once', async () => {
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const { signer: _, ...rest } = body;
    expect(outcome(await submit(lease.id, { ...rest, chainId, deadline: '1' }))).toMatchSnapshot();
  });

  test('to an agreement of another principal, known or not', async () => {
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const other = await service.createPrincipal();
    expect(outcome(await submit(lease.id, body, other))).toMatchSnapshot();
    expect((await submit(lease.address, body, other)).status).toBe(404);
    expect((await submit('agr_0', body, other)).status).toBe(404);
  });

  test('by a principal that may only read', async () => {
    const reader = await service.createPrincipal(['agreements.read']);
    expect((await submit(lease.id, {}, reader)).status).toBe(403);
  });

  test('where the chain does not answer', async () => {
    const cutOff = await startTestApi(service.databaseUrl, {});
    const { body } = await lease.sign({ ...accept, account: lease.tenant });
    const call = createCall(cutOff.baseUrl, principal.key);
    expect((await submit(lease.id, body, { ...principal, call })).status).toBe(503);
    await cutOff.close();
  });
});

test('an input that somebody else has brought to the chain is refused as stale, or known', async () => {
  const lease = await deploy();
  const { body, payload } = await lease.sign({ ...accept, account: lease.tenant });
  const { v, r, s } = body.signature;
  const args = [lease.tenant.address, nameHash('accept'), payload, BigInt(body.deadline), v, r, s] as const;
  await chain.send(
    lease.address,
    encodeFunctionData({ abi: agreementEngineAbi, functionName: 'submitInputWithPermit', args }),
  );
  expect((await submit(lease.id, body)).body.error?.details?.reason).toBe('state_not_accepting');
});
