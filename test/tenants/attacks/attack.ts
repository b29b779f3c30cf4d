import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { WorstRequest } from '../support/worstRequests.ts';

export type AttackScene = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly recordId: string;
  readonly documentId: string;
  readonly webhookId: string;
  readonly linkSecret: string;
  readonly chainId: number;
  readonly bodyBytes: number;
  /** Sends one request, reads its answer and counts its status. */
  send(request: WorstRequest): Promise<string>;
  /** Deploys an agreement of the hostile principal with rules. */
  deploy(deployment: {
    agreement: Record<string, unknown>;
    observers: string[];
    notificationTemplate: Record<string, unknown>;
  }): Promise<unknown>;
  /** Makes every timed rule of the hostile principal due now, as if its interval had passed. */
  makeRulesDue(): Promise<unknown>;
  /** The largest payload of the record's input. */
  readonly largestPayload: Hex;
  /** Sends an input with this payload directly to the record's contract, and waits until it is mined. */
  submit(payload: Hex): Promise<void>;
  /** Whether the attack goes on. */
  isOn(): boolean;
};

/** A hostile behaviour that continues until it is stopped. */
export type Attack = { readonly name: string; run(scene: AttackScene): Promise<void> };

export const readsPerSecond = 50;
export const writesPerSecond = 10;
const mostUnderWay = 40;
export const times = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));

export const long = (text: string, count: number) => text.repeat(count);

/** Sends requests in turn, at the principal's highest allowed rate. */
export async function flood(scene: AttackScene, requests: readonly WorstRequest[]): Promise<void> {
  const open = new Set<Promise<unknown>>();
  for (let at = 0; scene.isOn(); at++) {
    const request = requests[at % requests.length];
    if (request && open.size < mostUnderWay) {
      const sent: Promise<unknown> = scene.send(request).finally(() => open.delete(sent));
      open.add(sent);
    }
    await delay(1_000 / (request?.method === 'GET' ? readsPerSecond : writesPerSecond));
  }
  await Promise.all(open);
}

export const post = (path: string, body: unknown, headers?: Record<string, string>): WorstRequest => ({
  ...{ name: path, method: 'POST', path: `/v0${path}`, body },
  ...(headers && { headers }),
});

export const get = (path: string, headers?: Record<string, string>): WorstRequest => ({
  ...{ name: path, method: 'GET', path: `/v0${path}` },
  ...(headers && { headers }),
});

export function withRequests(name: string, build: (scene: AttackScene) => WorstRequest[]): Attack {
  return { name, run: (scene) => flood(scene, build(scene)) };
}
