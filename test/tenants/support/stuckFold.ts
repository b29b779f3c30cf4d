import type { AgreementsClient } from '../../../client/src/index.ts';
import { runAdmin } from '../../../src/cli/admin/runAdmin.ts';
import { evaluateAlert } from '../../support/evaluateAlert.ts';
import type { ServiceStack } from '../../support/serviceStack.ts';
import { waitUntil } from '../../support/waitUntil.ts';

/** A record in quarantine, because no fold can read its agreement's inputs. */
export type StuckFold = {
  /** Retries until it is stopped. */
  begin(): void;
  end(): Promise<void>;
  /**
   * Corrects the planted data, lets an operator release the record, and waits until it has its history and
   * the alert is quiet.
   */
  heal(): Promise<void>;
};

/** The pause between an operator's releases of the record. Shorter pauses would only wait for the fold. */
const retryMs = 500;

/**
 * Plants invalid signers in the index by hand, and adopts their agreement. The fold over all its inputs
 * cannot succeed. Waits until the record is in quarantine, and until the worker's /metrics would fire the
 * alert.
 */
export async function plantStuckFold(
  stack: ServiceStack,
  options: {
    client: AgreementsClient;
    agreement: Record<string, unknown>;
    address: string;
    metricsUrl: string;
  },
): Promise<StuckFold> {
  const { client, agreement, address, metricsUrl } = options;
  const { chainId, pool } = stack;
  const setSigner = (signer: string | null) => changeIndex(stack, { address, signer });
  await setSigner('nobody');
  const { id } = await client.agreements.import({ agreement, chainId, address, displayName: 'stuck' });
  const isQuarantined = async () =>
    (await pool.query('select 1 from service.quarantined_records where record_id = $1', [id])).rowCount === 1;
  const isAlertFiring = async () => {
    const text = await (await fetch(metricsUrl)).text();
    return evaluateAlert('AgreementsRecordsQuarantined', text).get(String(chainId)) === true;
  };
  const hasHistory = async () =>
    (await pool.query('select 1 from service.records where id = $1 and input_count > 0', [id])).rowCount ===
    1;
  await waitUntil('the record is in quarantine', isQuarantined);
  await waitUntil('the alert fires', isAlertFiring);

  const release = async () => {
    const printed: string[] = [];
    const print = (text: string) => printed.push(text);
    const env = { DATABASE_URL: stack.databaseUrl };
    const code = await runAdmin({
      words: ['quarantine', 'release', id],
      env,
      print,
      printError: print,
    });
    if (code !== 0) throw new Error(printed.join('\n'));
  };
  let retrying: NodeJS.Timeout | undefined;
  let released: Promise<void> = Promise.resolve();
  return {
    begin() {
      retrying = setInterval(() => {
        released = released.then(release);
      }, retryMs);
    },
    async end() {
      clearInterval(retrying);
      await released;
    },
    async heal() {
      await setSigner(null);
      await release();
      await waitUntil('the record has left the quarantine', async () => !(await isQuarantined()));
      await waitUntil('the record has its history', hasHistory);
      await waitUntil('the alert is quiet', async () => !(await isAlertFiring()));
    },
  };
}

/** Bypasses the rule that only the indexer writes into its tables, and the triggers that note its writes. */
async function changeIndex(
  { pool }: ServiceStack,
  { address, signer }: { address: string; signer: string | null },
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    const { rowCount } = await client.query(
      'update chain_index.inputs set permit_signer = $2 where agreement = lower($1)',
      [address, signer],
    );
    await client.query('commit');
    if (rowCount === 0) throw new Error('the index has no input of the agreement');
  } finally {
    client.release();
  }
}
