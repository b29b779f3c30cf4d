import type { Receiver } from '../exactlyOnce/support/receiver.ts';
import { createSingleCallClient } from './singleCalls.ts';

/** Subscribes a receiver to all events of a key's principal. */
export async function subscribe(
  service: { baseUrl: string; apiKey: string },
  receiver: Receiver,
): Promise<void> {
  const { secret } = await createSingleCallClient(service).webhooks.create({ url: receiver.url });
  receiver.setSecret(secret);
}
