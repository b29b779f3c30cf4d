import type { PublicClient } from 'viem';
import type { z } from 'zod';
import { chainUnavailable } from '../../platform/nodes/unavailable.ts';

export type NodeQuestion<Shape extends z.ZodType> = {
  readonly method: string;
  readonly params: unknown[];
  /** The shape of an answer that is not null. */
  readonly shape: Shape;
};

/**
 * Calls methods that viem does not have, or whose answers viem would change; null if the node has no data.
 *
 * @throws ChainUnavailableError if no node answers, or the answer does not have the expected shape.
 */
export async function askNode<Shape extends z.ZodType>(
  client: PublicClient,
  { method, params, shape }: NodeQuestion<Shape>,
): Promise<z.output<Shape> | null> {
  const request: { method: string; params: unknown[] } = { method, params };
  const said: unknown = await client.transport.request(request).catch((cause: unknown) => {
    throw chainUnavailable(cause);
  });
  return said === null ? null : parseAnswer(shape, said);
}

/** @throws ChainUnavailableError as `askNode` does. */
export function parseAnswer<Shape extends z.ZodType>(shape: Shape, said: unknown): z.output<Shape> {
  const { data, error } = shape.safeParse(said);
  if (error) throw chainUnavailable(error);
  return data;
}
