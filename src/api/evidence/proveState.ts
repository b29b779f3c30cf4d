import { encodeFunctionData, type Hex, numberToHex, type PublicClient } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { ChainUnavailableError } from '../../platform/errors/serviceError.ts';
import type { EvidenceLayout, EvidenceState, StorageProof } from '../../protocol/evidence/evidenceFile.ts';
import {
  listProvedSlots,
  nonceSlot,
  ordinarySlots,
  ownPlaceOfNonces,
} from '../../protocol/evidence/evidenceState.ts';
import { hexToBytes } from '../../protocol/hex.ts';
import { keccak256Bytes } from '../../protocol/keccak.ts';
import { askNode } from './askNode.ts';
import { type Collecting, requireTurn } from './collecting.ts';
import { accessListShape, nodeProofShape } from './nodeShapes.ts';

export type StateQuery = {
  readonly address: Hex;
  readonly implementation: Hex;
  readonly block: { readonly number: number; readonly stateRoot: Hex };
  /** In ascending order. */
  readonly signers: readonly Hex[];
};

const slotsPerCall = 100;
const anybody = '0x0000000000000000000000000000000000000001';

/** Where engines keep the proved values, by implementation: determined once. */
const layouts = new Map<string, EvidenceLayout>();

/**
 * The proofs of a contract's storage at a block. Null if the node gives none, like forks of Anvil and many
 * public endpoints, or if they do not belong to that block.
 *
 * @throws TurnOverError if the turn ends before the last call of a node.
 */
export async function proveState(
  collecting: Pick<Collecting, 'client' | 'isTurnOver' | 'signal'>,
  query: StateQuery,
): Promise<Omit<EvidenceState, 'block'> | null> {
  const { client } = collecting;
  requireTurn(collecting);
  try {
    const layout = layouts.get(query.implementation) ?? (await findLayout(client, query));
    if (!layout) return null;
    layouts.set(query.implementation, layout);
    return await readProofs(collecting, query, layout);
  } catch (error) {
    // Nodes have many errors for a missing method or a missing old state.
    if (error instanceof ChainUnavailableError) return null;
    throw error;
  }
}

async function readProofs(
  collecting: Pick<Collecting, 'client' | 'isTurnOver' | 'signal'>,
  { address, block, signers }: StateQuery,
  layout: EvidenceLayout,
): Promise<Omit<EvidenceState, 'block'> | null> {
  const slots = listProvedSlots(layout, signers);
  const storage: StorageProof[] = [];
  let accountProof: readonly Hex[] = [];
  for (let at = 0; at < slots.length; at += slotsPerCall) {
    requireTurn(collecting);
    const some = slots.slice(at, at + slotsPerCall);
    const params = [address, some.map(({ slot }) => slot), numberToHex(block.number)];
    const said = await askNode(collecting.client, { method: 'eth_getProof', params, shape: nodeProofShape });
    const root = said?.accountProof[0];
    if (!said || root === undefined || keccak256Bytes(hexToBytes(root)) !== block.stateRoot) return null;
    accountProof = said.accountProof;
    for (const [index, { of }] of some.entries()) {
      const found = said.storageProof[index];
      if (!found) return null;
      storage.push({
        of,
        value: `0x${BigInt(found.value).toString(16).padStart(64, '0')}`,
        proof: found.proof,
      });
    }
  }
  return { layout, accountProof, storage };
}

/** Asks a node which slots the contract's own getters read. */
async function findLayout(client: PublicClient, query: StateQuery): Promise<EvidenceLayout | undefined> {
  const read = (functionName: 'docHash' | 'initialState' | 'currentState') =>
    readSlot(client, query, encodeFunctionData({ abi: agreementEngineAbi, functionName }));
  const [docHash, initialState, currentState, nonce] = await Promise.all([
    read('docHash'),
    read('initialState'),
    read('currentState'),
    readSlot(
      client,
      query,
      encodeFunctionData({ abi: agreementEngineAbi, functionName: 'nonces', args: [anybody] }),
    ),
  ]);
  const places = [ownPlaceOfNonces, ...Array.from({ length: ordinarySlots }, (_, at) => wordOf(at))];
  const nonces = places.find((place) => nonceSlot(place, anybody) === nonce);
  return docHash && initialState && currentState && nonces
    ? { docHash, initialState, currentState, nonces }
    : undefined;
}

async function readSlot(
  client: PublicClient,
  { address, block }: StateQuery,
  data: Hex,
): Promise<Hex | undefined> {
  const params = [{ to: address, data }, numberToHex(block.number)];
  const found = await askNode(client, { method: 'eth_createAccessList', params, shape: accessListShape });
  const [slot, ...others] = found?.accessList.find((entry) => entry.address === address)?.storageKeys ?? [];
  return others.length === 0 ? slot : undefined;
}

function wordOf(slot: number): Hex {
  return `0x${slot.toString(16).padStart(64, '0')}`;
}
