import { setTimeout as delay } from 'node:timers/promises';

const samples = 15;

/** The smallest heap of a process over some seconds, from its metrics: about the heap after a collection. */
export async function measureHeap(internalUrl: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < samples; sample++) {
    const text = await (await fetch(`${internalUrl}/metrics`)).text();
    const used = Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(text)?.[1]);
    if (!Number.isFinite(used)) throw new Error('the metrics do not tell the heap');
    least = Math.min(least, used);
    await delay(400);
  }
  return least;
}
