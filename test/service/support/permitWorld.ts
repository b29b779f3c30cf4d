import { randomBytes } from 'node:crypto';
import { type Address, decodeEventLog, encodeFunctionData, type Hex, toHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { awaitReceipt } from '../../../contracts-test/awaitReceipt.ts';
import { deployProtocol } from '../../../contracts-test/deploy.ts';
import { channels } from '../../../src/platform/database/channels.ts';
import { compileAgreement, encodeInputPayload, findChain, nameHash } from '../../../src/protocol/index.ts';
import type { RelayWorld } from '../../support/relayWorld.ts';
import { signInput } from './permits.ts';

/** Two states, and an input for each transition between them. */
const turns = {
  metadata: { id: 'did:example:turns', name: 'Turns' },
  variables: {},
  content: { type: 'md', data: '# Turns' },
  execution: {
    initialize: { initialState: 'PING', data: {} },
    states: { PING: { description: '' }, PONG: { description: '' } },
    inputs: { ping: { data: {} }, pong: { data: {} }, stay: { data: {} } },
    transitions: [
      { from: 'PING', to: 'PONG', conditions: [{ input: 'ping' }] },
      { from: 'PONG', to: 'PING', conditions: [{ input: 'pong' }] },
      { from: 'PING', to: 'PING', conditions: [{ input: 'stay' }] },
    ],
  },
};

export type PermitRow = { id: string; nonce: number; account: PrivateKeyAccount };

/** An agreement on the chain of a relay world, and outbox rows with real permits for it. */
export async function createPermitWorld(world: RelayWorld) {
  const { client, chainId, pool, rpcUrl } = world;
  const chain = findChain(chainId);
  if (!chain) throw new Error(`the chain ${chainId} is not registered`);
  const { factory, implementation } = chain;
  await deployProtocol({ rpcUrl, chainId, factory, implementation });

  /** Deploys a new agreement without a permit. Its input `stay` calls `action`, if given. */
  const deploy = async ({ action }: { action?: Address } = {}): Promise<Address> => {
    const call = { fromState: nameHash('PING'), inputId: nameHash('stay'), value: 0n, data: '0x' } as const;
    const parameters = compileAgreement(turns, { docUri: 'test:turns', values: {} });
    const [account = '0x' as const] = await client.getAddresses();
    const hash = await client.sendTransaction({
      account,
      chain: null,
      to: factory,
      data: encodeFunctionData({
        abi: agreementFactoryAbi,
        functionName: 'createAgreement',
        args: [
          parameters.docUri,
          parameters.docHash,
          parameters.initialState,
          parameters.inputDefs,
          parameters.transitions,
          parameters.initVars,
          parameters.verifiers,
          action ? [{ ...call, target: action }] : parameters.actions,
        ],
      }),
    });
    const { logs } = await awaitReceipt(client, hash);
    const [log] = logs.filter(({ address }) => address.toLowerCase() === factory.toLowerCase());
    if (!log) throw new Error('nothing was deployed');
    const { args } = decodeEventLog({ abi: agreementFactoryAbi, eventName: 'AgreementDeployed', ...log });
    return args.agreement;
  };

  const accept = async (permit: {
    agreement: Address;
    account: PrivateKeyAccount;
    nonce: number;
    inputId?: 'ping' | 'pong' | 'stay';
    gasEstimate?: bigint | null;
    gasKind?: string;
    deadline?: number;
    principalId?: string;
  }): Promise<PermitRow> => {
    const { agreement, account, nonce, inputId = 'stay', gasEstimate = 200_000n } = permit;
    const deadline = permit.deadline ?? Number((await client.getBlock()).timestamp) + 3_600;
    const payload = encodeInputPayload(turns, inputId, {});
    const { body, digest } = await signInput({
      account,
      agreement: turns,
      agreementAddress: agreement,
      chainId,
      inputId,
      values: {},
      nonce: BigInt(nonce),
      deadline,
    });
    const { v, r, s } = body.signature;
    const data = encodeFunctionData({
      abi: agreementEngineAbi,
      functionName: 'submitInputWithPermit',
      args: [account.address, nameHash(inputId), payload, BigInt(deadline), v, r, s],
    });
    const id = `txn_${randomBytes(16).toString('hex')}`;
    await pool.query(
      `with stored as (
         insert into service.transactions (id, chain_id, kind, contract, signer, permit_nonce, permit_digest, content_hash,
           deadline, call_data, gas_estimate, gas_kind, principal_id)
         values ($1, $2, 'input', $3, $4, $5, $6, $6, $7, $8, $9, $11, $12))
       select pg_notify($10, $2::int::text)`,
      [
        id,
        chainId,
        agreement,
        account.address,
        nonce,
        digest,
        deadline,
        data,
        gasEstimate === null ? null : String(gasEstimate),
        channels.outbox,
        permit.gasKind ?? null,
        permit.principalId ?? null,
      ],
    );
    return { id, nonce, account };
  };

  const countPermits = (agreement: Address, signer: Address): Promise<bigint> =>
    client.readContract({
      address: agreement,
      abi: agreementEngineAbi,
      functionName: 'nonces',
      args: [signer],
    });

  /** Writes the rows that the indexer and the projector would write for these permits now. */
  const indexOnce = async (agreement: Address): Promise<void> => {
    const block = await client.getBlock();
    const logs = await client.getLogs({ address: agreement, fromBlock: 0n, toBlock: block.number });
    const ofSigner = new Map<Address, number>();
    const effects: { signer: Address; nonce: number; block: string; hash: Hex }[] = [];
    for (const log of logs) {
      const event = decodeEventLog({ abi: agreementEngineAbi, ...log });
      if (event.eventName !== 'InputSubmittedWithPermit') continue;
      const { signer } = event.args;
      const nonce = ofSigner.get(signer) ?? 0;
      ofSigner.set(signer, nonce + 1);
      effects.push({ signer, nonce, block: String(log.blockNumber), hash: log.transactionHash });
    }
    await pool.query(
      `with shown as (
         select * from json_to_recordset($2::json) as it(signer text, nonce numeric, block bigint, hash text)),
       mined as (
         update service.transactions tx set state = 'mined', failure = null, mined_block_number = shown.block, tx_hash = shown.hash
         from shown where tx.contract = $1 and tx.signer = shown.signer and tx.permit_nonce = shown.nonce),
       reopened as (
         update service.transactions tx set mined_block_number = null, state = 'broadcast'
         where tx.contract = $1 and tx.state = 'mined' and not exists (
           select 1 from shown where tx.signer = shown.signer and tx.permit_nonce = shown.nonce)),
       moved as (
         insert into service.projections (chain_id, head_number, head_hash, head_timestamp) values ($3, $4, $5, now())
         on conflict (chain_id) do update set head_number = excluded.head_number, head_hash = excluded.head_hash)
       select pg_notify($6, $3::int::text)`,
      [agreement, JSON.stringify(effects), chainId, String(block.number), block.hash, channels.outbox],
    );
  };

  return {
    deploy,
    accept,
    countPermits,
    indexOnce,
    createAccount: () => privateKeyToAccount(toHex(randomBytes(32))),
    /** Accepts this number of permits of one signer, one after the other. */
    async acceptRow(
      agreement: Address,
      {
        account,
        count,
        first = 0,
        gasEstimate = 200_000n,
      }: { account: PrivateKeyAccount; count: number; first?: number; gasEstimate?: bigint | null },
    ): Promise<PermitRow[]> {
      const rows: PermitRow[] = [];
      for (let nonce = first; nonce < first + count; nonce++)
        rows.push(await accept({ agreement, account, nonce, gasEstimate }));
      return rows;
    },
    /** Lets the index follow the chain until the returned function is called. */
    startIndexing(agreement: Address): () => Promise<void> {
      let isIndexing = true;
      const turn = async () => {
        while (isIndexing) {
          await indexOnce(agreement);
          await new Promise((resolve) => setTimeout(resolve, 30));
        }
      };
      const indexing = turn();
      return async () => {
        isIndexing = false;
        await indexing;
      };
    },
  };
}

export type PermitWorld = Awaited<ReturnType<typeof createPermitWorld>>;
