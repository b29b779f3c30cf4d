import { setTimeout as delay } from 'node:timers/promises';
import type { Agreement } from '../../faults/support/caller.ts';
import { pick } from '../../support/random.ts';

const pauseMs = 40;

/** Sends one read after the other, and returns their number. Reports every answer other than 200. */
export async function playReader(options: {
  baseUrl: string;
  apiKey: string;
  random(): number;
  agreements: readonly Agreement[];
  isOver(): boolean;
  onRefusal(description: string): void;
}): Promise<number> {
  const { baseUrl, apiKey, random, agreements, isOver, onRefusal } = options;
  const paths = [
    () => '/agreements?limit=5',
    () => '/events?limit=5',
    (id: string) => `/agreements/${id}`,
    (id: string) => `/agreements/${id}/state`,
    (id: string) => `/agreements/${id}/inputs`,
  ];
  let count = 0;
  while (!isOver()) {
    await delay(pauseMs * random());
    if (agreements.length === 0) continue;
    const path = pick(random, paths)(pick(random, agreements).id);
    try {
      const response = await fetch(`${baseUrl}/v0${path}`, { headers: { 'x-api-key': apiKey } });
      const text = await response.text();
      if (response.status === 200) count++;
      else onRefusal(`GET ${path}: ${response.status} ${text}`);
    } catch (error) {
      onRefusal(`GET ${path}: ${error}`);
    }
  }
  return count;
}
