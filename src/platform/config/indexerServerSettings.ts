import { z } from 'zod';
import { ConfigurationError } from './configurationError.ts';

const variables = z.object({
  INDEXER_HOST: z.string().default('127.0.0.1'),
  INDEXER_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'expected a port')
    .transform(Number)
    .refine((port) => port >= 1 && port <= 65_535, 'expected a port')
    .default(42_069),
});

/**
 * Where Ponder's own server listens (health, progress, metrics, and GraphQL for operators). It is not for the
 * public. If the port is taken, Ponder takes the next free one.
 *
 * @throws ConfigurationError naming every variable that is wrong.
 */
export function readIndexerServer(env: NodeJS.ProcessEnv): { host: string; port: number } {
  const { INDEXER_HOST, INDEXER_PORT } = env;
  const read = variables.safeParse({
    ...(INDEXER_HOST && { INDEXER_HOST }),
    ...(INDEXER_PORT && { INDEXER_PORT }),
  });
  if (read.success) return { host: read.data.INDEXER_HOST, port: read.data.INDEXER_PORT };
  throw new ConfigurationError(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
}
