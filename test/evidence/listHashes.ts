import type { Hex } from 'viem';
import { z } from 'zod';

const shape = z.object({
  blocks: z.array(z.object({ number: z.number(), hash: z.templateLiteral(['0x', z.string()]) })),
});

/** The hashes that a file names for its blocks, as a reader gives them who trusts them. */
export function listHashes(text: string): Map<number, Hex> {
  return new Map(shape.parse(JSON.parse(text)).blocks.map(({ number, hash }) => [number, hash]));
}
