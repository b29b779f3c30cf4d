import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';
import type { RelaySettings } from '../../platform/config/relaySettings.ts';
import { channels } from '../../platform/database/channels.ts';
import { listen } from '../../platform/database/listen.ts';
import type { ChainAccess } from '../../platform/nodes/clients.ts';
import type { CountedAdmission } from '../../platform/operations/metrics.ts';
import type { RelaySigners } from '../../platform/signers/openSigners.ts';
import { createChainRelay } from './chainRelay.ts';

export type RelayOptions = {
  /** Takes one or two connections per chain from it while it signs or reconciles. */
  pool: pg.Pool;
  /** The database of `pool`, for the listening connection. */
  databaseUrl: string;
  chains: readonly Pick<ChainConfiguration, 'chainId' | 'confirmations'>[];
  access: ChainAccess;
  signers: ReadonlyMap<number, RelaySigners>;
  settings: ReadonlyMap<number, RelaySettings>;
  /** An admitted input has reverted. */
  onReverted?: ((admission: CountedAdmission) => void) | undefined;
  logger: Logger;
};

export type Relay = {
  /** Resolves once notifications arrive. */
  ready: Promise<void>;
  close(): Promise<void>;
};

/**
 * Sends the transactions of the outbox until it is closed. Any number of processes may do so at once: a
 * wallet belongs to one of them at a time. An accepted transaction is sent whatever happens to a process. A
 * permit is signed for another nonce only when none of its earlier forms can be mined any more. Failures do
 * not end it; it waits and tries again.
 */
export function createRelay(options: RelayOptions): Relay {
  const { pool, databaseUrl, chains, signers, settings, access, onReverted, logger } = options;
  const owner = `${hostname()} ${process.pid} ${randomBytes(8).toString('hex')}`;
  const relays = new Map(
    chains.map(({ chainId, confirmations }) => {
      const relay = createChainRelay({
        pool,
        chainId,
        confirmations,
        signers: signers.get(chainId) ?? { ready: [], awaited: [] },
        owner,
        settings: getOfChain(settings, chainId),
        client: getOfChain(access.clients, chainId),
        endpoints: getOfChain(access.endpointClients, chainId),
        onReverted,
        logger,
      });
      return [String(chainId), relay];
    }),
  );
  const wakeAll = () => {
    for (const relay of relays.values()) relay.wake();
  };
  const listener = listen({
    url: databaseUrl,
    channels: [channels.outbox, channels.walletsReleased],
    onNotification(channel, chainId) {
      const relay = relays.get(chainId);
      if (channel === channels.walletsReleased) relay?.takeWallets();
      else relay?.wake();
    },
    onConnected: wakeAll,
    logger,
  });
  return {
    ready: listener.ready,
    async close() {
      await listener.close();
      await Promise.all([...relays.values()].map((relay) => relay.close()));
    },
  };
}

function getOfChain<Value>(values: ReadonlyMap<number, Value>, chainId: number): Value {
  const value = values.get(chainId);
  if (value === undefined) throw new Error(`the chain ${chainId} is not configured`);
  return value;
}
