import { type Address, getAddress, type Hex, parseEventLogs } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { channels } from '../../../src/platform/database/channels.ts';
import { listen } from '../../../src/platform/database/listen.ts';
import { createLogger } from '../../../src/platform/log/createLogger.ts';
import { stateName } from '../../../src/protocol/index.ts';
import type { TestChain } from './testChain.ts';
import type { TestService } from './testService.ts';

type Row = { id: string; contract: Address; call_data: Hex };

/**
 * For tests of the API alone, does the worker's work with the outbox: sends the stored calls to the real
 * chain, and writes the results to the tables.
 */
export async function startStandInWorker(service: TestService, chain: TestChain) {
  const { pool } = service.handle;
  let isHolding = false;
  let work: Promise<void> = Promise.resolve();

  const sendAll = async () => {
    if (isHolding) return;
    const { rows } = await pool.query<Row>(
      `select id, contract, call_data from service.transactions where state = 'accepted' order by created_at`,
    );
    for (const { id, contract, call_data: callData } of rows) {
      const hash = await chain.send(contract, callData);
      await pool.query(
        `with sent as (update service.transactions set state = 'broadcast', tx_hash = $2 where id = $1 returning id)
         select pg_notify('${channels.transactionChanged}', id) from sent`,
        [id, hash],
      );
    }
  };
  const wake = () => {
    work = work.then(sendAll);
  };
  const listener = listen({
    url: service.databaseUrl,
    channels: [channels.outbox],
    onNotification: wake,
    onConnected: wake,
    logger: createLogger({ level: 'silent', name: 'stand-in worker' }),
  });
  await listener.ready;

  return {
    /** Runs while nothing is sent. */
    async hold<Result>(run: () => Promise<Result>): Promise<Result> {
      isHolding = true;
      try {
        return await run();
      } finally {
        isHolding = false;
        wake();
      }
    },
    /** Resolves when everything stored before is sent. */
    async idle(): Promise<void> {
      wake();
      await work;
    },
    /** Writes the chain's state of a record to its row. */
    async fold(recordId: string): Promise<Address> {
      await this.idle();
      const { rows } = await pool.query<{ tx_hash: Hex; document: string }>(
        `select t.tx_hash, r.document from service.records r
         join service.transactions t on t.id = r.deploy_transaction_id where r.id = $1`,
        [recordId],
      );
      const { tx_hash: hash = '0x', document = 'null' } = rows[0] ?? {};
      const { logs } = await chain.client.getTransactionReceipt({ hash });
      const [deployed] = parseEventLogs({ abi: agreementFactoryAbi, logs, eventName: 'AgreementDeployed' });
      const address = getAddress(deployed?.args.agreement ?? '0x');
      const reading = { address, abi: agreementEngineAbi, functionName: 'currentState' } as const;
      const stateHash = await chain.client.readContract(reading);
      await pool.query(
        `with changed as (update service.records set status = 'Deployed', address = $2, state = $3, state_hash = $4,
           state_block_number = $5, state_updated_at = now() where id = $1 returning id)
         select pg_notify('${channels.recordChanged}', id) from changed`,
        [
          recordId,
          address,
          stateName(JSON.parse(document), stateHash),
          stateHash,
          await chain.client.getBlockNumber(),
        ],
      );
      return address;
    },
    async stop(): Promise<void> {
      await listener.close();
      await work;
    },
  };
}
export type StandInWorker = Awaited<ReturnType<typeof startStandInWorker>>;
