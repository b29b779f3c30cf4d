import { type Address, encodeFunctionData, type Hex, parseEventLogs } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { testTokenAbi } from '../../../contracts-test/abis/TestToken.ts';
import { recordShape } from '../../../src/api/shapes/resources.ts';
import type { AnvilFork } from '../../../src/cli/devtools/anvil.ts';
import { compileAgreement, nameHash, type WireValues } from '../../../src/protocol/index.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { deployDirectly, submitDirectly } from './directDeployment.ts';
import { buildLease } from './documents.ts';
import { startIndexedService } from './indexedService.ts';
import { createAccount, signDeploy, signInput } from './permits.ts';
import { chainId } from './testChain.ts';

/** A chain with running agreements, and a service that gives evidence of them. The caller closes it. */
export async function startEvidenceWorld(env: Readonly<Record<string, string>> = {}, fork?: AnvilFork) {
  const settings = {
    DEPLOY_WAIT_MS: '120000',
    CONSISTENCY_WAIT_MS: '60000',
    EVIDENCE_WAIT_MS: '120000',
    ...env,
  };
  const setting = await startIndexedService(settings, fork);
  const { chain, service } = setting;
  const principal = await service.createPrincipal();

  const readEvidence = (id: string, accept = 'application/json', key = principal.key) =>
    fetch(`${service.baseUrl}/v0/agreements/${id}/evidence`, { headers: { 'x-api-key': key, accept } });

  const submitPermit = async (permit: {
    account: PrivateKeyAccount;
    agreement: unknown;
    address: Address;
    inputId: string;
    values: Record<string, unknown>;
    nonce?: bigint;
    isIndirect?: boolean;
  }): Promise<Hex> => {
    const { address: agreementAddress, isIndirect, inputId, ...rest } = permit;
    const { body, payload } = await signInput({ ...rest, inputId, agreementAddress, chainId });
    const { v, r, s } = body.signature;
    const data = encodeFunctionData({
      abi: agreementEngineAbi,
      functionName: 'submitInputWithPermit',
      args: [body.signer, nameHash(inputId), payload, BigInt(body.deadline), v, r, s],
    });
    if (!isIndirect) return chain.send(agreementAddress, data);
    const forward = { abi: testTokenAbi, functionName: 'forward', args: [agreementAddress, data] } as const;
    return chain.send(chain.token, encodeFunctionData(forward));
  };

  const deployPermitted = async (account: PrivateKeyAccount, agreement: unknown, values: WireValues) => {
    const { factory } = chain;
    const p = compileAgreement(agreement, { values });
    const { deadline, signature } = await signDeploy({ account, agreement, values, chainId, factory });
    const content = [
      ...([p.docUri, p.docHash, p.initialState, p.inputDefs, p.transitions, p.initVars] as const),
      ...([p.verifiers, p.actions] as const),
    ] as const;
    const data = encodeFunctionData({
      abi: agreementFactoryAbi,
      functionName: 'createAgreementWithPermit',
      args: [account.address, ...content, BigInt(deadline), signature.v, signature.r, signature.s],
    });
    const hash = await chain.send(factory, data);
    const { logs } = await chain.client.getTransactionReceipt({ hash });
    const [deployed] = parseEventLogs({ abi: agreementFactoryAbi, logs, eventName: 'AgreementDeployed' });
    if (!deployed) throw new Error('nothing was deployed');
    return deployed.args.agreement;
  };

  const adopt = async (agreement: unknown, address: Address) => {
    const body = { chainId, address, agreement, displayName: 'Adopted' };
    const answer = await principal.call('POST', '/v0/agreements/import', { body });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return recordShape.parse(answer.body.data);
  };

  return {
    ...setting,
    principal,
    submitPermit,
    deployPermitted,
    adopt,
    readEvidence,
    /** The evidence file, once the index has reached the latest block. */
    async readFile(id: string): Promise<string> {
      await this.catchUp();
      const response = await readEvidence(id);
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      return response.text();
    },
    /** Mines a block, and waits until the index has reached it. */
    async catchUp(): Promise<void> {
      await chain.client.mine({ blocks: 1 });
      const latest = await chain.client.getBlockNumber();
      await waitUntil('the index has come to the latest block', async () => {
        const { rows } = await service.handle.pool.query<{ number: string }>(
          'select number from chain_index.heads where chain_id = $1',
          [chainId],
        );
        return BigInt(rows[0]?.number ?? 0) >= latest;
      });
    },
    /**
     * A lease deployed by permit: landlord and tenant sign inputs, a stranger knocks by a direct transaction,
     * and a payment is made.
     */
    async playLease({ isIndirect = false } = {}) {
      const [landlord, tenant] = [createAccount(), createAccount()];
      const agreement = buildLease(chain.token);
      const values = { landlord: landlord.address, tenant: tenant.address, rent: '5' };
      const address = await deployPermitted(landlord, agreement, values);
      const [, stranger = '0x'] = await chain.client.getAddresses();
      const act = (account: PrivateKeyAccount, inputId: string, inputValues = {}, nonce = 0n) =>
        submitPermit({ account, agreement, address, inputId, values: inputValues, nonce, isIndirect });
      await act(landlord, 'appoint', { keeper: stranger });
      await submitDirectly(chain, { from: stranger, to: address, agreement, inputId: 'knock', values: {} });
      await act(tenant, 'accept', { months: '4', remark: 'gladly' });
      const mint = { abi: testTokenAbi, functionName: 'mint', args: [tenant.address, 5n] } as const;
      await chain.send(chain.token, encodeFunctionData(mint));
      await chain.client.setBalance({ address: tenant.address, value: 10n ** 18n });
      await chain.client.impersonateAccount({ address: tenant.address });
      const approve = {
        abi: [
          {
            type: 'function',
            name: 'approve',
            inputs: [{ type: 'address' }, { type: 'uint256' }],
            outputs: [{ type: 'bool' }],
            stateMutability: 'nonpayable',
          },
        ],
        functionName: 'approve',
        args: [address, 5n],
      } as const;
      await chain.client.sendTransaction({
        account: tenant.address,
        chain: null,
        to: chain.token,
        data: encodeFunctionData(approve),
      });
      await act(tenant, 'pay', {}, 1n);
      const { id, onChain } = await adopt(agreement, address);
      return { id, address, agreement, landlord, tenant, docHash: onChain.docHash };
    },
    /** A lease that its owner deployed by a direct transaction, possibly through another contract. */
    async playDirectLease({ isIndirect = false } = {}) {
      const agreement = buildLease(chain.token);
      const [, landlord = '0x', tenant = '0x'] = await chain.client.getAddresses();
      const values = { landlord, tenant, rent: '5' };
      const address = await deployDirectly(chain, { agreement, values, isIndirect });
      await submitDirectly(chain, { from: landlord, to: address, agreement, inputId: 'knock', values: {} });
      await submitDirectly(chain, {
        ...{ from: tenant, to: address, agreement, inputId: 'accept' },
        values: { months: '4', remark: 'gladly' },
      });
      return { id: (await adopt(agreement, address)).id, address, agreement };
    },
  };
}
export type EvidenceWorld = Awaited<ReturnType<typeof startEvidenceWorld>>;
