import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import { type Program, startProgram } from '../../e2e/support/program.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { chainId } from './testChain.ts';
import { encryptionKey, type TestService } from './testService.ts';

/** An API in a separate process. */
export type Replica = { program: Program; baseUrl: string; internalUrl: string };

/** Starts another API on a service's database, as operators do. The caller stops it. */
export async function startReplica(
  { databaseUrl }: TestService,
  rpcUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Replica> {
  const [port, internalPort] = [await findFreePort(), await findFreePort()];
  const program = startProgram('api', {
    env: {
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      INTERNAL_PORT: String(internalPort),
      CHAINS: String(chainId),
      [`RPC_URL_${chainId}`]: rpcUrl,
      ENCRYPTION_KEY: encryptionKey,
      SHUTDOWN_GRACE_MS: '0',
      ...env,
    },
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  await waitUntil('the replica answers', async () => {
    if (program.hasEnded()) throw new Error(program.lines.join('\n'));
    return fetch(`${baseUrl}/v0/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return { program, baseUrl, internalUrl: `http://127.0.0.1:${internalPort}` };
}

export async function endReplica({ program }: Replica): Promise<void> {
  if (!program.hasEnded()) program.signal('SIGKILL');
  await program.exited;
}
