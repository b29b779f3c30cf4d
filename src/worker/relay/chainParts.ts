import type pg from 'pg';
import type { Logger } from 'pino';
import type { PublicClient } from 'viem';
import type { RelaySettings } from '../../platform/config/relaySettings.ts';
import type { DataFee } from '../../platform/nodes/dataFee.ts';
import type { AnswerLog } from './answerLog.ts';
import type { ChainView } from './chainView.ts';
import type { LeaseHolder } from './walletRows.ts';

/** The parts that one chain's relay shares, also with its single wallets. */
export type ChainParts = {
  readonly pool: pg.Pool;
  readonly chainId: number;
  readonly holder: LeaseHolder;
  readonly settings: RelaySettings;
  /** Clients over the chain's endpoints with failover, and over each single endpoint. */
  readonly client: PublicClient;
  readonly endpoints: readonly PublicClient[];
  readonly readDataFee: () => Promise<DataFee>;
  readonly answers: AnswerLog;
  readonly logger: Logger;
  /** Work of single wallets with an external signer; nothing else waits for it. */
  readonly remoteWork: Set<Promise<void>>;
  /** The chain's last answer; undefined before the first one. */
  view: ChainView | undefined;
};
