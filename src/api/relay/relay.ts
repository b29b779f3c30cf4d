import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { ChainClients } from '../chain/clients.ts';
import type { RelayerKeys } from '../config/relayerKeys.ts';
import type { RelaySettings } from '../config/relaySettings.ts';
import { channels } from '../database/channels.ts';
import type { Database } from '../database/database.ts';
import { listen } from '../database/listen.ts';
import { createChainRelay } from './chainRelay.ts';

export type RelayOptions = {
  database: Database;
  /** The same database, for the connection that listens. */
  databaseUrl: string;
  chains: readonly { chainId: number; confirmations: number }[];
  clients: ChainClients;
  keys: RelayerKeys;
  settings: RelaySettings;
  logger: Logger;
};

export type Relay = { ready: Promise<void>; close(): Promise<void> };

const pollIntervalMs = 2_000;

/**
 * Sends the transactions of the outbox from now until it is closed. Any number of processes may do so at once: each wallet is
 * one process's at a time. A transaction that was stored is sent whatever happens to a process, and a permit is never signed
 * into two transactions that could both be mined.
 */
export function createRelay(options: RelayOptions): Relay {
  const { database, databaseUrl, chains, clients, keys, settings, logger } = options;
  const owner = randomUUID();
  const relays = new Map(
    chains.map(({ chainId, confirmations }) => {
      const client = clients.get(chainId);
      if (!client) throw new Error(`there is no client for the chain ${chainId}`);
      const privateKeys = keys.get(chainId) ?? [];
      const context = { database, client, chainId, confirmations, owner, settings, logger, privateKeys };
      return [String(chainId), createChainRelay(context)];
    }),
  );
  const wakeAll = () => {
    for (const relay of relays.values()) relay.wake();
  };
  const listener = listen({
    url: databaseUrl,
    channels: [channels.outbox],
    onNotification: (_channel, chainId) => relays.get(chainId)?.wake(),
    onConnected: wakeAll,
    logger,
  });
  const timer = setInterval(wakeAll, pollIntervalMs);
  return {
    ready: listener.ready,
    async close() {
      clearInterval(timer);
      await listener.close();
      await Promise.all([...relays.values()].map((relay) => relay.close()));
    },
  };
}
