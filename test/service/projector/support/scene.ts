import { asc, eq } from 'drizzle-orm';
import { type Address, getAddress } from 'viem';
import { inputs } from '../../../../src/platform/database/tables/inputs.ts';
import { records } from '../../../../src/platform/database/tables/records.ts';
import { transactions } from '../../../../src/platform/database/tables/transactions.ts';
import { displaceWaiting } from '../../../../src/records/agreements/displacedRecords.ts';
import type { Fold, FoldExtent } from '../../../../src/worker/projector/fold.ts';
import { addressOfClone, block, type ChainBlock, type ChainEvent, uniqueHash } from './chain.ts';
import { createLamp, type Lamp, type LampInput } from './lamp.ts';
import * as service from './serviceRows.ts';
import { chainId, createFolder, type Fixture, type Folder, factory } from './setup.ts';

export const alice = getAddress('0x00000000000000000000000000000000000000a1');
export const bob = getAddress('0x00000000000000000000000000000000000000b2');
export const relayer = getAddress('0x00000000000000000000000000000000000000c3');
export const lamp = createLamp('one');
/** The address of a chain's first agreement. */
export const clone = addressOfClone(0);

export const toggle = (brightness: string): LampInput => ({ name: 'toggle', values: { brightness } });
export const annotate = (remark: string): LampInput => ({ name: 'annotate', values: { remark } });
export const handOver = (holder: Address): LampInput => ({ name: 'hand_over', values: { holder } });

export function deployment(details: Partial<Extract<ChainEvent, { kind: 'deploy' }>> = {}): ChainEvent {
  return { kind: 'deploy', txHash: uniqueHash(), sender: relayer, signer: alice, lamp, ...details };
}

export function input(
  sent: LampInput,
  details: Partial<Extract<ChainEvent, { kind: 'input' }>> = {},
): ChainEvent {
  const common = { txHash: uniqueHash(), sender: relayer, signer: alice, agreement: clone };
  return { kind: 'input', ...common, input: sent, ...details };
}

/** A toggle that somebody else sends. */
export function foreignToggle(brightness: string): ChainEvent {
  const { signer: _none, ...sent } = input(toggle(brightness));
  return sent;
}

/** An indexed chain, a principal, and one folding process. */
export type Scene = ReturnType<typeof createScene> extends Promise<infer T> ? T : never;

export async function createScene(
  fixture: Fixture,
  { confirmations = 1, ...options }: { confirmations?: number; keptDays?: number } = {},
) {
  const { database, index } = fixture;
  const folder: Folder = createFolder(fixture, { confirmations, ...options });
  const principalId = await service.insertPrincipal(database);
  let chain: ChainBlock[] = [];

  const show = (head: ChainBlock | null = chain.at(-1) ?? null) =>
    index.show({ chainId, blocks: chain, head });
  return {
    principalId,
    chain: () => chain,
    show,
    /** Adds one block with these events, shows it in the index, and folds the new blocks. */
    async mine(...events: ChainEvent[]): Promise<Fold> {
      chain = [...chain, block(chain.length + 1, events)];
      await show();
      return folder.fold('new');
    },
    /** Drops this number of blocks; the index does not see it yet. */
    drop(depth: number): void {
      chain = chain.slice(0, -depth);
    },
    /** Adds a block; the index does not see it yet. */
    add(...events: ChainEvent[]): ChainBlock {
      const added = block(chain.length + 1, events);
      chain = [...chain, added];
      return added;
    },
    fold: () => folder.fold(),
    foldOnce: (extent?: FoldExtent) => folder.foldOnce(extent),

    async draft(
      details: {
        nonce?: bigint;
        principalId?: string;
        lamp?: Lamp;
        deadline?: bigint;
        signer?: Address;
      } = {},
    ) {
      const { nonce = 0n, deadline = service.farDeadline, signer = alice } = details;
      const document = details.lamp ?? lamp;
      const transactionId = await service.insertTransaction(database, {
        kind: 'deploy',
        chainId,
        contract: factory,
        signer,
        nonce,
        deadline,
        contentHash: document.signedHash,
      });
      const recordId = await service.insertRecord(database, {
        principalId: details.principalId ?? principalId,
        chainId,
        lamp: document,
        deployTransactionId: transactionId,
      });
      return { recordId, transactionId };
    },
    /** Creates a record for the agreement at this address as an import does, of a new principal unless given. */
    async askFor(address: Address, document = lamp, principal?: string) {
      const owner = principal ?? (await service.insertPrincipal(database));
      await displaceWaiting(database, [
        {
          ...{ principal_id: owner, chain_id: chainId, address, doc_hash: document.docHash },
          ...{ transaction_hash: '0x', permit_creation: null },
        },
      ]);
      const record = { principalId: owner, chainId, lamp: document, address };
      return { principalId: owner, recordId: await service.insertRecord(database, record) };
    },
    async submit(
      recordId: string,
      sent: LampInput,
      details: { nonce: bigint; deadline?: bigint; signer?: Address },
    ) {
      const transactionId = await service.insertTransaction(database, {
        kind: 'input',
        chainId,
        contract: clone,
        signer: alice,
        contentHash: service.contentHashOf(lamp, sent),
        ...details,
      });
      const inputId = await this.attach(recordId, sent, transactionId);
      return { inputId, transactionId };
    },
    /** Adds another submission that refers to the same permit. */
    attach(recordId: string, sent: LampInput, transactionId: string): Promise<string> {
      const submission = { principalId, recordId, chainId, agreement: clone, lamp, input: sent };
      return service.insertSubmission(database, { ...submission, transactionId, signer: alice });
    },

    async record(id: string) {
      const [row] = await database.select().from(records).where(eq(records.id, id));
      if (!row) throw new Error(`no record ${id}`);
      return row;
    },
    async transaction(id: string) {
      const [row] = await database.select().from(transactions).where(eq(transactions.id, id));
      if (!row) throw new Error(`no transaction ${id}`);
      return row;
    },
    history: (recordId: string) =>
      database.select().from(inputs).where(eq(inputs.recordId, recordId)).orderBy(asc(inputs.position)),
  };
}
