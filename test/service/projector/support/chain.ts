import { type Address, getAddress, type Hex, keccak256, toHex } from 'viem';
import { encodeInputPayload } from '../../../../src/protocol/encodePayload.ts';
import { nameHash } from '../../../../src/protocol/names.ts';
import { type Lamp, type LampInput, lampTransitions } from './lamp.ts';

/**
 * The effect of one transaction. Each event is a separate transaction in its block, and keeps its hash if a
 * reorg moves it.
 */
export type ChainEvent = {
  txHash: Hex;
  sender: Address;
  /** The signer of the permit, if there is one; the sender submitted it. */
  signer?: Address;
  /** Whether another contract called the agreement or factory. */
  isIndirect?: boolean;
} & ({ kind: 'deploy'; lamp: Lamp } | { kind: 'input'; agreement: Address; input: LampInput; payload?: Hex });

export type ChainBlock = { number: number; hash: Hex; timestamp: number; events: ChainEvent[] };

let counter = 0;
/** A hash that no other call returns. */
export function uniqueHash(): Hex {
  counter += 1;
  return keccak256(toHex(`unique ${counter}`));
}

export function block(
  number: number,
  events: ChainEvent[] = [],
  timestamp = 1_000_000 + number * 10,
): ChainBlock {
  return { number, hash: uniqueHash(), timestamp, events };
}

export function addressOfClone(ordinal: number): Address {
  return getAddress(`0x${keccak256(toHex(`clone ${ordinal}`)).slice(-40)}`);
}

/** The payload of an input as the protocol encodes it. */
export function payloadOf(lamp: Lamp, { name, values }: LampInput): Hex {
  return encodeInputPayload(lamp.agreement, name, values);
}

type Row = Record<string, string | number | boolean | null>;
export type IndexRows = Record<'agreements' | 'inputs' | 'permit_counts' | 'blocks', Row[]>;

type Clone = { lamp: Lamp; state: string; row: Row; inputs: number; transitions: number };

/**
 * The rows that an indexer writes for these blocks. As on a real chain, inputs of agreements that do not
 * exist have no effect.
 */
export function indexRows({
  chainId,
  factory,
  blocks,
}: {
  chainId: number;
  factory: Address;
  blocks: readonly ChainBlock[];
}): IndexRows {
  const rows: IndexRows = { agreements: [], inputs: [], permit_counts: [], blocks: [] };
  const clones = new Map<Address, Clone>();
  const counts = new Map<string, Row>();

  const consume = (contract: Address, signer: Address | undefined): string | null => {
    if (signer === undefined) return null;
    const key = `${contract} ${signer}`;
    const row = counts.get(key) ?? {
      chain_id: chainId,
      contract: low(contract),
      signer: low(signer),
      count: '0',
    };
    const nonce = String(row.count);
    counts.set(key, { ...row, count: String(BigInt(nonce) + 1n) });
    return nonce;
  };

  for (const { number, hash, timestamp, events } of blocks) {
    if (events.length > 0) {
      rows.blocks.push({ chain_id: chainId, number: String(number), hash, timestamp: String(timestamp) });
    }
    for (const [logIndex, event] of events.entries()) {
      const contract = event.kind === 'deploy' ? factory : event.agreement;
      const clone = event.kind === 'input' ? clones.get(event.agreement) : undefined;
      if (event.kind === 'input' && !clone) continue;
      const common = {
        chain_id: chainId,
        permit_signer: event.signer === undefined ? null : low(event.signer),
        permit_submitter: event.signer === undefined ? null : low(event.sender),
        permit_nonce: consume(contract, event.signer),
        transaction_hash: event.txHash,
        transaction_from: low(event.sender),
        transaction_to: low(event.isIndirect ? addressOfClone(-1) : contract),
        log_index: logIndex,
        block_number: String(number),
        block_hash: hash,
        block_timestamp: String(timestamp),
      };
      if (event.kind === 'deploy') {
        const address = addressOfClone(clones.size);
        const row = {
          ...common,
          ...deploymentOf(event.lamp, address, factory, event.signer ?? event.sender),
          content_hash: event.signer === undefined || event.isIndirect ? null : event.lamp.signedHash,
        };
        clones.set(address, {
          lamp: event.lamp,
          state: event.lamp.initialState,
          row,
          inputs: 0,
          transitions: 0,
        });
        rows.agreements.push(row);
      } else if (clone) {
        const from = clone.state;
        clone.state = lampTransitions[from]?.[event.input.name] ?? from;
        clone.inputs += 1;
        if (clone.state !== from) clone.transitions += 1;
        rows.inputs.push({
          ...common,
          agreement: low(event.agreement),
          position: clone.inputs,
          input_id: nameHash(event.input.name),
          from_state: nameHash(from),
          to_state: nameHash(clone.state),
          sequence: clone.state === from ? null : clone.transitions,
          payload: event.payload ?? payloadOf(clone.lamp, event.input),
          transaction_ordinal: rows.inputs.filter(
            (row) => row.agreement === low(event.agreement) && row.transaction_hash === event.txHash,
          ).length,
        });
      }
    }
  }
  for (const { row, state, inputs, transitions } of clones.values()) {
    Object.assign(row, {
      current_state: nameHash(state),
      input_count: inputs,
      transition_count: transitions,
    });
  }
  rows.permit_counts = [...counts.values()];
  return rows;
}

function deploymentOf(lamp: Lamp, address: Address, factory: Address, owner: Address): Row {
  return {
    address: low(address),
    factory: low(factory),
    owner: low(owner),
    doc_uri: lamp.docUri,
    doc_hash: lamp.docHash,
    initial_state: nameHash(lamp.initialState),
    verifier_count: 0,
    action_count: 0,
    updated_block_number: '0',
    updated_block_timestamp: '0',
  };
}

function low(address: Address): string {
  return address.toLowerCase();
}
