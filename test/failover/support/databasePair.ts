import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OnClose } from '../../support/withClosings.ts';
import { type DatabaseNode, startDatabaseNode } from './databaseNode.ts';
import { type Forwarder, startForwarder } from './forwarder.ts';

/** A primary with one synchronous standby, behind one address. */
export type DatabasePair = {
  /** The connection string of the present primary. */
  url: string;
  forwarder: Forwarder;
  /**
   * Kills the primary. Its clients notice at once (`told`), or only when the address moves (`silent`), as if
   * a machine or its network were gone.
   */
  killPrimary(death: Death): Promise<void>;
  /** Makes the standby the primary, and moves the address to it. */
  promote(): Promise<void>;
  /** Makes another standby. From then on every commit waits for it. */
  rebuild(): Promise<void>;
};

export const deaths = ['told', 'silent'] as const;
export type Death = (typeof deaths)[number];

/** Starts the pair, with an empty database. */
export async function startDatabasePair(options: {
  programs: string;
  onClose: OnClose;
}): Promise<DatabasePair> {
  const { programs, onClose } = options;
  const directory = await mkdtemp(join(tmpdir(), 'agreements-failover-'));
  onClose(() => rm(directory, { recursive: true }));
  // The server's account must be able to pass through this directory.
  await chmod(directory, 0o711);
  const running = new Set<DatabaseNode>();
  onClose(() => Promise.all([...running].map((node) => node.stop())));
  let made = 0;
  const start = async (source?: DatabaseNode) => {
    const node = await startDatabaseNode({
      ...{ name: `node${++made}`, directory, programs },
      ...(source && { source }),
    });
    running.add(node);
    return node;
  };
  let primary = await start();
  const forwarder = await startForwarder(primary.port);
  onClose(forwarder.close);
  let standby: DatabaseNode | undefined;
  const rebuild = async () => {
    standby = await start(primary);
    await primary.requireStandby();
  };
  await rebuild();
  const url = new URL(primary.url);
  url.port = String(forwarder.port);
  return {
    url: url.href,
    forwarder,
    rebuild,
    async killPrimary(death) {
      if (death === 'silent') forwarder.freeze();
      running.delete(primary);
      await primary.kill();
    },
    async promote() {
      if (!standby) throw new Error('there is no standby');
      await standby.promote();
      primary = standby;
      standby = undefined;
      forwarder.moveTo(primary.port);
    },
  };
}
