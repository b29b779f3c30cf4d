import type { Endpoint } from './endpoint.ts';
import { usualIntervalMs } from './endpointHeights.ts';
import { isHeadProven, readHead } from './readHead.ts';

/**
 * Polls every endpoint for its latest block until it is closed. Endpoints that rest, or have no calls left,
 * are skipped.
 */
export function watchHeights(
  endpoints: readonly Endpoint[],
  intervalMs = usualIntervalMs,
): { close(): void } {
  const asking = new Set<Endpoint>();
  const look = async (endpoint: Endpoint) => {
    const { ask, budget, health, height } = endpoint;
    if (asking.has(endpoint) || health.restsForMs() > 0 || !budget.take()) return;
    asking.add(endpoint);
    try {
      const head = await readHead(ask);
      if (!head) return;
      if (!height.needsProof(head)) return height.note(head, { atMs: performance.now(), isProven: true });
      if (!budget.take()) return;
      const isProven = await isHeadProven(ask, head);
      height.note(head, { atMs: performance.now(), isProven });
    } catch {
      // Its health has noted the failure; the height stays unchanged.
    } finally {
      asking.delete(endpoint);
    }
  };
  const lookAtAll = () => {
    for (const endpoint of endpoints) void look(endpoint);
  };
  lookAtAll();
  const timer = setInterval(lookAtAll, intervalMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}
