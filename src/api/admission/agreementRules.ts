import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Hex } from 'viem';
import { createEngine, type Engine, EngineRevert } from '../../protocol/index.ts';
import { keccak256Text } from '../../protocol/keccak.ts';
import { type IndexedCreation, readCreation } from './readCreation.ts';

/** What an agreement's creation has fixed, from the chain. */
export type AgreementRules = {
  /** The engine at its creation. */
  readonly engine: Engine;
  /** The creating transaction: after a reorg another agreement may be at the address. */
  readonly transactionHash: Hex;
  /**
   * Identifies the names of inputs, transitions and actions: agreements with the same definition use the same
   * gas for the same input.
   */
  readonly definitionHash: Hex;
  /** The inputs that make the contract store something, and how many fields of each it stores. */
  readonly storing: ReadonlyMap<string, number>;
};

export type RuleCache = {
  /** Undefined if the index does not show the agreement, or if its creation cannot be read. */
  find(agreement: { chainId: number; address: Hex }): Promise<AgreementRules | undefined>;
  /** An earlier result does not match the chain any more. */
  forget(agreement: { chainId: number; address: Hex }): void;
};

/** Characters of the definitions' text. */
const usualCapacity = 32_000_000;

/** Reads agreements' creations from the index, and keeps the last used ones. */
export function createRuleCache(pool: pg.Pool, capacity = usualCapacity): RuleCache {
  const kept = new LRUCache<string, AgreementRules>({ maxSize: capacity });
  return {
    async find(agreement) {
      const key = keyOf(agreement);
      const known = kept.get(key);
      if (known) return known;
      const read = await readRules(pool, agreement);
      if (!read) return undefined;
      kept.set(key, read.rules, { size: read.size });
      return read.rules;
    },
    forget: (agreement) => void kept.delete(keyOf(agreement)),
  };
}

function keyOf({ chainId, address }: { chainId: number; address: Hex }): string {
  return `${chainId} ${address}`;
}

/** Undefined if the index does not show the agreement, or if its creation cannot be read. */
async function readRules(
  pool: pg.Pool,
  agreement: { chainId: number; address: Hex },
): Promise<{ rules: AgreementRules; size: number } | undefined> {
  const creation = await readCreation(pool, agreement);
  const engine = creation && createShown(creation);
  if (!engine) return undefined;
  const storing = [...engine.rules.inputDefs.values()].map(
    ({ id, fields }) => [id, fields.filter(({ persist }) => persist).length] as const,
  );
  const rules = {
    engine,
    transactionHash: creation.transactionHash,
    definitionHash: keccak256Text(creation.definition),
    storing: new Map(storing.filter(([, count]) => count > 0)),
  };
  return { rules, size: creation.size };
}

/**
 * The engine of a creation. Undefined if the creation cannot be read, or if the model refuses it. A node decides in
 * both cases.
 */
export function createShown({ parameters }: IndexedCreation): Engine | undefined {
  if (parameters === undefined) return undefined;
  try {
    return createEngine(parameters);
  } catch (error) {
    if (error instanceof EngineRevert) return undefined;
    throw error;
  }
}
