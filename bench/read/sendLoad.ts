import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const generator = fileURLToPath(new URL('load.ts', import.meta.url));

/** Requests sent in turn over this many connections; each waits for its answer before it sends the next. */
export const loadShape = z.object({
  url: z.string(),
  connections: z.int(),
  seconds: z.number(),
  headers: z.record(z.string(), z.string()),
  requests: z
    .array(z.object({ method: z.enum(['GET', 'POST']), path: z.string(), body: z.string().optional() }))
    .min(1),
});
export type Load = z.input<typeof loadShape>;

const resultShape = z.object({
  perSecond: z.number(),
  total: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  failed: z.number(),
  /** Not answered within ten seconds. */
  overdue: z.number(),
});
export type LoadResult = Omit<z.output<typeof resultShape>, 'failed'>;

/**
 * Sends a load from a separate process.
 * @throws Error if a request failed: the figures would measure something else.
 */
export async function sendLoad(load: Load): Promise<LoadResult> {
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(process.execPath, [generator], (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
    child.stdin?.end(JSON.stringify(load));
  });
  const { failed, ...result } = resultShape.parse(JSON.parse(output));
  if (failed > 0)
    throw new Error(`${failed} of ${result.total} requests to ${load.url}${load.requests[0]?.path} failed`);
  return result;
}
