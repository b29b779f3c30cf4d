import { type ReservedPort, reservePort } from './devPort.ts';

export type ServicePorts = { api: number; indexer: number; apiInternal: number; workerInternal: number };

/**
 * Reserves a port for every server of the services, until they start. A configured port is used or refused;
 * the others may change.
 *
 * @throws PortError naming the variable whose port cannot be used.
 */
export async function reserveServicePorts(options: {
  env: NodeJS.ProcessEnv;
  lastApiPort: number | undefined;
}): Promise<{ ports: ServicePorts; takenApiPort: number | undefined; release(): Promise<void> }> {
  const { env, lastApiPort } = options;
  const reserve = (setting: string, usual: number, last?: number): Promise<ReservedPort> =>
    reservePort({ setting, configured: env[setting], last, usual });
  const api = await reserve('PORT', 3000, lastApiPort);
  const indexer = await reserve('INDEXER_PORT', 42_069);
  const apiInternal = await reserve('INTERNAL_PORT', 9464);
  const workerInternal = await reserve('WORKER_INTERNAL_PORT', 9465);
  return {
    ports: {
      api: api.port,
      indexer: indexer.port,
      apiInternal: apiInternal.port,
      workerInternal: workerInternal.port,
    },
    takenApiPort: api.taken,
    async release() {
      await Promise.all([api, indexer, apiInternal, workerInternal].map((reserved) => reserved.release()));
    },
  };
}
