import { sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';
import { findProcess, isRunning } from '../../platform/supervision/processIdentity.ts';
import { startHeartbeat } from '../devtools/heartbeat.ts';
import type { DevChain } from './devChain.ts';
import type { Running } from './runningStack.ts';

/** A database that recovers from a crashed session is back before this. */
const patience = 15;

/** Starts the heartbeats of the chains, which are also the first to notice that a chain or the database has ended. */
export function startHeartbeats(options: {
  chains: readonly DevChain[];
  database: Database;
  onBroken(message: string): void;
}): Running {
  const { chains, database, onBroken } = options;
  const heartbeats = chains.map(({ chain: { name }, anvil: { rpcUrl, pid } }) => {
    const identity = findProcess(pid);
    return startHeartbeat({
      rpcUrl,
      askBeside: () => database.execute(sql`select 1`),
      onTrouble: async (_error, times) => {
        if (!identity || !isRunning(identity)) onBroken(`${name} (Anvil, process ${pid}) has ended`);
        else if (times >= patience && !(await doesAnswer(database))) onBroken('the database does not answer');
      },
    });
  });
  const stop = async () => {
    await Promise.all(heartbeats.map((heartbeat) => heartbeat.stop()));
  };
  return { name: 'heartbeats', stop, kill: stop };
}

async function doesAnswer(database: Database): Promise<boolean> {
  return database.execute(sql`select 1`).then(
    () => true,
    () => false,
  );
}
