import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Address, Hex } from 'viem';
import type { AdmissionSettings } from '../../platform/config/configuration.ts';
import { isIndexAbsent } from '../../platform/database/indexAbsence.ts';
import type { Admission as AdmissionNote } from '../../platform/database/tables/transactions.ts';
import type { PermitFacts } from '../../platform/nodes/readPermitFacts.ts';
import type { Simulation } from '../../platform/nodes/simulateCall.ts';
import { applyInput, type Engine, encodeRevert, type InputOutcome } from '../../protocol/index.ts';
import type { Services } from '../../records/agreements/services.ts';
import { boundGas, buildGasKind } from '../../records/gas/learnedGas.ts';
import { type AgreementRules, createRuleCache } from './agreementRules.ts';
import { findFreeNonce } from './findFreeNonce.ts';
import { type PlayedInputs, playOpenInputs } from './playOpenInputs.ts';
import { mostOpen, readStanding, type Standing } from './readStanding.ts';

/** The result of a request to admit an input, and who decided. */
export type AdmissionOutcome = {
  readonly by: 'local' | 'node';
  readonly outcome: 'accepted' | 'refused';
};

export type AdmissionQuery = {
  readonly chainId: number;
  readonly contract: Address;
  readonly signer: Address;
  readonly inputHash: Hex;
  /** Undefined for values without an encoding: then only the state matters. */
  readonly payload: Hex | undefined;
  /** The call that the relay would send, for its price; undefined before the signature. */
  readonly callData?: Hex | undefined;
  /** The asking principal. */
  readonly asker: string;
  /** Whether only the asker's own open inputs come before it; otherwise everybody's do. */
  readonly isAfterOwn?: boolean;
};

/** The view of an input from index and outbox. */
export type LocalFacts = PermitFacts & {
  /**
   * The signer's mined nonce in the index; `nonce` is the first one that no open permit holds. An unsent permit whose
   * deadline has passed holds none: it will fail, and so will those after it.
   */
  readonly minedNonce: bigint;
  /** Verifiers or an action decide too, which only a node can check. */
  readonly isExternal: boolean;
  /** Open inputs that come before it. */
  readonly openCount: number;
  /** Undefined for a kind without learned gas. */
  readonly gas: bigint | undefined;
  readonly gasKind: string;
  readonly note: AdmissionNote;
};

export type Admission = {
  /** Undefined if a node must decide. */
  look(query: AdmissionQuery): Promise<LocalFacts | undefined>;
  note(outcome: AdmissionOutcome): void;
};

/** What is kept, in characters of open inputs' payloads and of stored variables; the engines take some more. */
const playedCapacity = 8_000_000;
const charactersOfInput = 1_000;

/** How long a missing index is not checked again. */
const absenceMs = 1_000;

/** The dependencies of admission. */
export type AdmissionServices = Services & { readonly admission: Admission };

/**
 * Decides about inputs from index and outbox, with the contract's rules in process. A node must decide in
 * these cases: the index is missing, too old, or equally far ahead of the database's clock; an agreement's creation or
 * stored variables are unknown; or there are more open inputs than the limit.
 */
export function createAdmission(options: {
  pool: pg.Pool;
  settings: AdmissionSettings;
  onOutcome?: ((outcome: AdmissionOutcome) => void) | undefined;
}): Admission {
  const { pool, settings, onOutcome } = options;
  const cache = createRuleCache(pool);
  const played = new LRUCache<string, PlayedInputs>({
    maxSize: playedCapacity,
    sizeCalculation: ({ start, inputs }) =>
      inputs.reduce((sum, { call }) => sum + call.payload.length + charactersOfInput, sizeOf(start)),
  });
  let absentUntil = 0;

  const read = async (query: AdmissionQuery) => {
    const agreement = { chainId: query.chainId, address: lower(query.contract) };
    const rules = await cache.find(agreement);
    if (!rules) return undefined;
    const { chainId, contract, signer, inputHash, callData, asker } = query;
    const principalId = query.isAfterOwn ? asker : undefined;
    // Before the signature no gas is wanted.
    const gasKind = callData ? buildGasKind({ ...rules, inputHash, callData }) : '';
    const storingInputs = [...rules.storing.keys()];
    const key = `${chainId} ${agreement.address} ${principalId ?? ''}`;
    const earlier = played.get(key);
    const known = new Set(earlier?.inputs.map(({ id }) => id));
    const asked = { chainId, contract, signer, storingInputs, gasKind, asker, principalId, known };
    const standing = await readStanding(pool, { ...asked, knownMoment: earlier?.base });
    if (!standing) return undefined;
    if (standing.transactionHash !== rules.transactionHash) {
      cache.forget(agreement);
      return undefined;
    }
    return { rules, standing, gasKind, key, earlier };
  };

  return {
    async look(query) {
      if (!settings.isLocal || performance.now() < absentUntil) return undefined;
      try {
        const found = await read(query);
        if (!found || found.standing.open.length > mostOpen) return undefined;
        if (!isFresh(found.standing, settings)) return undefined;
        const { rules, standing, key, earlier } = found;
        const now = playOpenInputs(rules, standing, { time: expectedTime(standing), earlier });
        played.set(key, now);
        if (!now.engine) return undefined;
        const expired = new Set(now.inputs.flatMap(({ id, isExpired }) => (isExpired ? [id] : [])));
        return decide(query, { ...found, engine: now.engine, expired });
      } catch (error) {
        if (!isIndexAbsent(error)) throw error;
        absentUntil = performance.now() + absenceMs;
        return undefined;
      }
    },
    note: (outcome) => onOutcome?.(outcome),
  };
}

function sizeOf({ variables }: Engine): number {
  const values = [...variables.entries().values()];
  return values.reduce(
    (sum, variable) => sum + (variable === 'unknown' ? 0 : variable.data.length),
    charactersOfInput,
  );
}

function isFresh({ headTimestamp, databaseTime }: Standing, { maxLagSeconds }: AdmissionSettings): boolean {
  return Math.abs(databaseTime - headTimestamp) <= maxLagSeconds;
}

/**
 * The next block's time in Unix seconds, at least. By the database's clock: a machine whose clock is ahead would leave out open
 * inputs that are still sent, and admit others that then revert.
 */
function expectedTime({ headTimestamp, databaseTime }: Standing): bigint {
  return BigInt(Math.max(headTimestamp, Math.floor(databaseTime)));
}

type Found = {
  rules: AgreementRules;
  standing: Standing;
  gasKind: string;
  /** After all open inputs. */
  engine: Engine;
  /** Ids of unsent open inputs whose deadlines have passed. */
  expired: ReadonlySet<string>;
};

function decide(
  query: AdmissionQuery,
  { rules, standing, gasKind, engine, expired }: Found,
): LocalFacts | undefined {
  const { signer, inputHash, callData } = query;
  const outcome = query.payload === undefined ? undefined : run(engine, query.payload, query);
  if (outcome?.ok === null) return undefined;
  const isExternal = outcome !== undefined && hasExternal(outcome);
  const { gasBound, open } = standing;
  const minedNonce = standing.nonces.get(signer.toLowerCase()) ?? 0n;
  const ofSigner = open.filter((row) => row.signer === signer && !expired.has(row.id));
  const storedFields = rules.storing.get(inputHash) ?? 0;
  const gas = gasBound && callData && boundGas(gasBound, { callData, storedFields });
  return {
    nonce: findFreeNonce(ofSigner, minedNonce),
    minedNonce,
    blockTimestamp: BigInt(standing.headTimestamp),
    currentState: engine.state,
    simulation: outcome && describeSimulation(outcome, gas),
    isExternal,
    openCount: open.length,
    gas: isExternal ? undefined : gas,
    gasKind,
    note: {
      by: 'local',
      position: standing.position,
      blockNumber: standing.blockNumber,
      ...(standing.blockHash && { blockHash: standing.blockHash }),
      ...(open.length > 0 && { after: open.map(({ id }) => id) }),
      ...(isExternal && { isExternal }),
    },
  };
}

/** The result of the input after all open ones, without its permit. */
function run(engine: Engine, payload: Hex, { signer, inputHash }: AdmissionQuery): InputOutcome {
  return applyInput(engine, { sender: signer, inputId: inputHash, payload, time: 0n });
}

function hasExternal(outcome: Exclude<InputOutcome, { ok: null }>): boolean {
  return outcome.verifiers.length > 0 || (outcome.ok && outcome.action !== undefined);
}

function describeSimulation(
  outcome: Exclude<InputOutcome, { ok: null }>,
  gas: bigint | undefined,
): Simulation {
  if (outcome.ok) return { ok: true, gas: gas ?? 0n };
  return { ok: false, data: encodeRevert(outcome.revert), message: 'execution reverted' };
}

function lower(address: Address): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}
