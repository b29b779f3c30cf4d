import type { Hex } from 'viem';
import { hexToBytes } from '../hex.ts';
import { keccak256Bytes } from '../keccak.ts';
import type { Header } from './blockParts.ts';
import { decodeRlp, EncodingError } from './decodeRlp.ts';
import { checked } from './evidenceChain.ts';
import { type EvidenceFile, type EvidenceLayout, type EvidenceState, lowerHex } from './evidenceFile.ts';
import type { Replay } from './evidenceReplay.ts';
import { type RefusalReason, refuse } from './refusal.ts';
import { decodeList, hexItem, numberItem } from './rlpFields.ts';
import { readTrieProof } from './trieProof.ts';

/** Ordinary slots are numbered in the order of declaration. A higher slot could be an entry of a mapping. */
export const ordinarySlots = 64;
/** OpenZeppelin's own namespace for nonces (ERC-7201). */
export const ownPlaceOfNonces: Hex = '0x5ab42ced628888259c08ac98db1eb0cf702fc1501344311d8b100cd1bfe4bb00';

/** The code hash of a minimal proxy (EIP-1167) of that engine. */
export function cloneCodeHash(implementation: Hex): Hex {
  const code = `0x363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`;
  return keccak256Bytes(hexToBytes(code));
}

/** The storage slot of an address's entry in a mapping. */
export function nonceSlot(mapping: Hex, signer: Hex): Hex {
  return keccak256Bytes(hexToBytes(`0x${signer.slice(2).padStart(64, '0')}${mapping.slice(2)}`));
}

/** The values that a state's storage proofs cover, in order, with their slots. */
export function listProvedSlots(
  layout: EvidenceState['layout'],
  signers: readonly Hex[],
): { of: string; slot: Hex }[] {
  return [
    ...(['docHash', 'initialState', 'currentState'] as const).map((of) => ({ of, slot: layout[of] })),
    ...signers.map((signer) => ({ of: signer, slot: nonceSlot(layout.nonces, signer) })),
  ];
}

/**
 * Checks the contract's storage at the last block against the replay: its code, the document's hash, its
 * states, and the number of permits used by each possible signer.
 *
 * The layout is the file's own statement: in an unused slot, every nonce reads as 0. So the values hold only if
 * the layout is the engine's.
 *
 * @param layout the engine's layout if the reader knows it; the file must then name the same.
 * @throws EvidenceRefusal if a proof does not hold, or shows something else.
 */
export function checkState(
  file: EvidenceFile,
  state: EvidenceState,
  {
    headers,
    replay,
    layout,
  }: { headers: readonly (Header | null)[]; replay: Replay; layout: EvidenceLayout | undefined },
): void {
  const header = headers[state.block];
  if (state.block !== file.blocks.length - 1 || !header)
    refuse(
      'state_proof_invalid',
      'state.block',
      'The state must be proved at the last block, which needs its header.',
    );
  requireLayout(state, layout);
  const { address, docHash, initialState } = file.agreement;
  const account = readProved(header.stateRoot, address, state.accountProof, 'state.accountProof');
  if (account === null)
    refuse(
      'state_proof_invalid',
      'state.accountProof',
      'The block has no account at the address of the agreement.',
    );
  const { storageRoot, codeHash } = checked('state_proof_invalid', 'state.accountProof', () =>
    parseAccount(account),
  );
  if (codeHash !== cloneCodeHash(file.chain.implementation))
    refuse(
      'code_mismatch',
      'state.accountProof',
      'The contract is not a minimal proxy of the engine that the file names.',
    );
  const expected = listProvedSlots(state.layout, replay.listSigners());
  if (expected.length !== state.storage.length)
    refuse('nonce_mismatch', 'state.storage', 'The nonces are not those of all possible signers.');
  for (const [at, { of, slot }] of expected.entries()) {
    const path = `state.storage[${at}]`;
    const entry = state.storage[at];
    if (entry?.of !== of) refuse('nonce_mismatch', path, 'The nonces are not those of all possible signers.');
    const stored = readProved(storageRoot, slot, entry.proof, path);
    const value =
      stored === null ? 0n : checked('state_proof_invalid', path, () => numberItem(decodeRlp(stored)));
    if (value !== BigInt(entry.value))
      refuse('state_proof_invalid', `${path}.value`, 'The chain holds another value.');
    const [reason, wanted]: [RefusalReason, bigint] =
      of === 'docHash'
        ? ['document_mismatch', BigInt(docHash)]
        : of === 'initialState'
          ? ['final_state_mismatch', BigInt(initialState)]
          : of === 'currentState'
            ? ['final_state_mismatch', BigInt(replay.engine.state)]
            : ['nonce_mismatch', replay.engine.nonces.get(of) ?? 0n];
    if (value !== wanted) refuse(reason, path, 'The chain holds another value than these inputs lead to.');
  }
}

const layoutParts = ['docHash', 'initialState', 'currentState', 'nonces'] as const;

function requireLayout({ layout }: EvidenceState, known: EvidenceLayout | undefined): void {
  if (known && layoutParts.some((part) => lowerHex(known[part]) !== layout[part]))
    refuse(
      'state_proof_invalid',
      'state.layout',
      'The layout is not the one that you trust for this engine.',
    );

  const { nonces, ...words } = layout;
  const slots = [...Object.values(words), nonces].map((slot) => BigInt(slot));
  const isOrdinary = (slot: bigint) => slot < BigInt(ordinarySlots);
  const isSound =
    new Set(slots).size === slots.length &&
    Object.values(words).every((slot) => isOrdinary(BigInt(slot))) &&
    (nonces === ownPlaceOfNonces || isOrdinary(BigInt(nonces)));
  if (!isSound)
    refuse(
      'state_proof_invalid',
      'state.layout',
      'The slots must be different and below 64; nonces may be in OpenZeppelin’s own slot.',
    );
}

/** The value of a state trie at a key; the key is hashed first. */
function readProved(root: Hex, key: Hex, proof: readonly Hex[], path: string): Uint8Array | null {
  const hashed = hexToBytes(keccak256Bytes(hexToBytes(key)));
  return checked('state_proof_invalid', path, () => readTrieProof(root, hashed, proof));
}

function parseAccount(account: Uint8Array): { storageRoot: Hex; codeHash: Hex } {
  const fields = decodeList(account);
  if (fields.length !== 4) throw new EncodingError('is not an account');
  return { storageRoot: hexItem(fields[2], 32), codeHash: hexItem(fields[3], 32) };
}
