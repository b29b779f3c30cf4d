import type { Address, Hex } from 'viem';
import { AbiReader } from '../abiReader.ts';
import { type AppliedInput, applyInput } from '../model/applyInput.ts';
import { createEngine } from '../model/createEngine.ts';
import type { Engine } from '../model/engine.ts';
import { EngineRevert } from '../model/reverts.ts';
import { type AgreementParameters, type Condition, FieldType } from '../onChain.ts';
import * as Op from '../op.ts';
import { refuse } from './refusal.ts';

export type ReplayedInput = {
  readonly inputId: Hex;
  readonly payload: Hex;
  /** Undefined if another contract made the call; then conditions about the sender count as met. */
  readonly sender: Hex | undefined;
  readonly permit: { readonly signer: Hex; readonly nonce: bigint; readonly deadline: bigint } | undefined;
  /** Unix seconds of its block. */
  readonly time: number;
};

/** The most signers that can be proved in reasonable time. */
const mostSigners = 1_000;
const nobody: Address = '0x0000000000000000000000000000000000000001';

/** An agreement replayed from its creation, by the contract's own rules. */
export type Replay = {
  readonly engine: Engine;
  /** @throws EvidenceRefusal `replay_refused` if the contract would not have accepted the input. */
  play(input: ReplayedInput, path: string): AppliedInput;
  /**
   * The signers of permits, and the addresses that conditions about the sender ever allowed, in ascending order.
   * At most 1,000: signers of permits take precedence, then lower addresses.
   */
  listSigners(): readonly Hex[];
  /** How many addresses `listSigners` leaves out. */
  countOthers(): number;
};

/** @throws EvidenceRefusal `replay_refused` if the factory would have refused the creation. */
export function createReplay(parameters: AgreementParameters, owner: Hex): Replay {
  let engine = start(parameters, owner);
  const conditions = [...engine.rules.inputDefs.values()].flatMap((inputDef) => inputDef.conditions);
  const { variables, literals } = readAllowed(conditions);
  const named = new Set<Hex>(literals);
  const permitted = new Set<Hex>();
  const noteStored = (stored: Iterable<readonly [string, { fType: number; data: Hex }]>) => {
    for (const [id, { fType, data }] of stored)
      if (variables.has(id) && fType === FieldType.ADDRESS) named.add(`0x${data.slice(-40)}`);
  };
  noteStored(
    [...engine.variables.entries()].flatMap(([id, one]) => (one === 'unknown' ? [] : [[id, one] as const])),
  );
  return {
    get engine() {
      return engine;
    },
    play({ inputId, payload, sender, permit, time }, path) {
      if (permit) permitted.add(permit.signer);
      const isKnown = permit !== undefined || sender !== undefined;
      const before = isKnown ? engine : withoutSender(engine, inputId);
      const call = { sender: sender ?? nobody, inputId, payload, permit, time: BigInt(time) };
      const outcome = applyInput(before, call);
      if (!outcome.ok) {
        const cause = outcome.ok === null ? 'a variable is not known' : describe(outcome.revert);
        refuse('replay_refused', path, `The contract would have refused this input: ${cause}.`);
      }
      engine = { ...outcome.engine, rules: engine.rules };
      noteStored(outcome.stored.map((field) => [field.id, field]));
      return outcome;
    },
    listSigners: () => [...union(permitted, named)].slice(0, mostSigners).sort(),
    countOthers: () => Math.max(0, union(permitted, named).size - mostSigners),
  };
}

/** The addresses of the first set, then those of the second, each in ascending order. */
function union(first: ReadonlySet<Hex>, second: ReadonlySet<Hex>): Set<Hex> {
  return new Set([...[...first].sort(), ...[...second].sort()]);
}

function start(parameters: AgreementParameters, owner: Hex): Engine {
  try {
    return createEngine({ ...parameters, owner });
  } catch (error) {
    if (error instanceof EngineRevert)
      refuse(
        'replay_refused',
        'deployment',
        `The factory would have refused this deployment: ${describe(error.revert)}.`,
      );
    throw error;
  }
}

function describe({ name, args }: { readonly name: string; readonly args: readonly unknown[] }): string {
  return args.length > 0 ? `${name}(${args.map(String).join(', ')})` : name;
}

const senderOps: ReadonlySet<number> = new Set([Op.SENDER_EQ_VAR_ADDRESS, Op.SENDER_IN_ALLOWED_ADDRESSES]);

function withoutSender(engine: Engine, inputId: Hex): Engine {
  const definition = engine.rules.inputDefs.get(inputId);
  if (definition === undefined) return engine;
  const conditions = definition.conditions.filter(({ op }) => !senderOps.has(op));
  const inputDefs = new Map([...engine.rules.inputDefs, [inputId, { ...definition, conditions }]]);
  return { ...engine, rules: { ...engine.rules, inputDefs } };
}

/** The variables and addresses in conditions about the sender. */
function readAllowed(conditions: readonly Condition[]): { variables: Set<string>; literals: Hex[] } {
  const variables = new Set<string>();
  const literals: Hex[] = [];
  for (const { op, fieldId, bytesArg } of conditions) {
    if (op === Op.SENDER_EQ_VAR_ADDRESS) variables.add(fieldId);
    if (op !== Op.SENDER_IN_ALLOWED_ADDRESSES) continue;
    const reader = new AbiReader(bytesArg);
    for (const id of readWords(reader, 0)) variables.add(`0x${id}`);
    for (const word of readWords(reader, 32)) literals.push(`0x${word.slice(24)}`);
  }
  return { variables, literals };
}

function readWords(reader: AbiReader, at: number): string[] {
  const start = reader.number(at);
  return Array.from({ length: reader.number(start) }, (_, index) => reader.word(start + 32 + index * 32));
}
