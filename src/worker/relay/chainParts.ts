import type pg from 'pg';
import type { Logger } from 'pino';
import type { PublicClient } from 'viem';
import type { RelaySettings } from '../../platform/config/relaySettings.ts';
import type { DataFee } from '../../platform/nodes/dataFee.ts';
import type { AnswerLog } from './answerLog.ts';
import type { ChainView } from './chainView.ts';
import type { LeaseHolder } from './walletRows.ts';

/** What the parts of the relay of one chain share, the single wallets included. */
export type ChainParts = {
  readonly pool: pg.Pool;
  readonly chainId: number;
  readonly holder: LeaseHolder;
  readonly settings: RelaySettings;
  /** Asks the chain's endpoints in turn; and each by itself. */
  readonly client: PublicClient;
  readonly endpoints: readonly PublicClient[];
  readonly readDataFee: () => Promise<DataFee>;
  readonly answers: AnswerLog;
  readonly logger: Logger;
  /** Work for single wallets that waits for a signer outside of the process: nothing else waits for it. */
  readonly remoteWork: Set<Promise<void>>;
  /** What the chain last said; undefined until it has answered once. */
  view: ChainView | undefined;
};
