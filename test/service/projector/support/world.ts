import { type Address, getAddress } from 'viem';
import {
  displaceWaiting,
  findDisplaced,
  restoreDisplaced,
} from '../../../../src/records/agreements/displacedRecords.ts';
import { adoptedCreationOf } from '../../../../src/records/agreements/sameAgreement.ts';
import type { Fold } from '../../../../src/worker/projector/fold.ts';
import { addressOfClone, block, type ChainBlock, type ChainEvent, uniqueHash } from './chain.ts';
import { deploymentContent, type Effect, inputContent, permitKey, replay } from './expectation.ts';
import type { LampInput } from './lamp.ts';
import * as service from './serviceRows.ts';
import { chainId, createFolder, type Fixture, type Folder, factory } from './setup.ts';
import type { EventSeed, Step } from './steps.ts';
import {
  farDeadline,
  isOf,
  lampInputs,
  lamps,
  type PermitRow,
  pick,
  type RecordRow,
  type SubmissionRow,
  signers,
  submitter,
} from './worldRows.ts';

/** A chain, its index, the principals' submissions, and the folding processes. */
export class World {
  readonly fixture: Fixture;
  readonly principals: readonly string[];
  readonly folders: Folder[];
  chain: ChainBlock[] = [];
  #longest = 0;
  /** What the index shows. */
  shown: { blocks: ChainBlock[]; head: ChainBlock | null } = { blocks: [], head: null };
  readonly permits: PermitRow[] = [];
  readonly records: RecordRow[] = [];
  readonly submissions: SubmissionRow[] = [];
  /** The records that have an address or wait there, of those requested by address. */
  readonly holders = new Map<Address, RecordRow>();

  private constructor(fixture: Fixture, principals: readonly string[]) {
    this.fixture = fixture;
    this.principals = principals;
    this.folders = [createFolder(fixture), createFolder(fixture)];
  }

  static async create(fixture: Fixture): Promise<World> {
    const principals = [];
    for (let count = 0; count < 3; count++) principals.push(await service.insertPrincipal(fixture.database));
    return new World(fixture, principals);
  }

  /**
   * Folds the new blocks, as after an index notification, and then the whole chain, as at regular intervals.
   */
  async fold(number: number): Promise<Fold[]> {
    const folder = this.folders[number] ?? createFolder(this.fixture);
    return [await folder.fold('new'), await folder.fold()];
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'grow':
        this.#append(step.blocks, []);
        return this.#show();
      case 'reorganise': {
        const kept = this.chain.slice(0, Math.max(0, this.chain.length - step.depth));
        const lost = this.chain.slice(kept.length).flatMap(({ events }) => events);
        this.chain = kept;
        const back = lost.filter((_, at) => (step.kept >> (at % 8)) & 1);
        this.#append(step.blocks, back);
        return this.#show();
      }
      case 'rebuildIndex':
      case 'restartIndexer':
        if (step.kind === 'rebuildIndex') await this.fixture.index.deploy();
        if (step.depth > 0) {
          this.chain = this.chain.slice(0, Math.max(0, this.chain.length - step.depth));
          this.#append(step.blocks, []);
        }
        return this.#showLess(step.shown, step.head);
      case 'submitDeployment':
        return this.#submitDeployment(step.a, step.b);
      case 'submitInput':
        return this.#submitInput(step.a, step.b);
      case 'askForAddress':
        return this.#askForAddress(step.a, step.b);
    }
  }

  /** Extends the chain until it is longer than ever before, and shows all of it in the index. */
  async catchUp(): Promise<void> {
    const missing = this.#longest + 1 - this.chain.length;
    this.#append(new Array(Math.max(1, missing)).fill([]), []);
    await this.#show();
  }

  #append(seeds: readonly (readonly EventSeed[])[], first: readonly ChainEvent[]): void {
    for (const [at, events] of seeds.entries()) {
      const number = this.chain.length + 1;
      // Blocks of different forks get different timestamps.
      const timestamp = 1_000_000 + number * 10 + (uniqueHash().charCodeAt(9) % 10);
      const next = block(number, at === 0 ? [...first] : [], timestamp);
      this.chain.push(next);
      this.#longest = Math.max(this.#longest, this.chain.length);
      for (const seed of events) {
        const event = this.#createEvent(seed);
        if (event) next.events.push(event);
      }
    }
  }

  /** Every other event is the effect of a permit submitted here, if the chain would accept it. */
  #createEvent({ kind, a, b }: EventSeed): ChainEvent | undefined {
    const { agreements } = replay(factory, this.chain);
    const common = { txHash: uniqueHash(), sender: submitter };
    const possible = this.permits.filter(
      ({ contract, signer, nonce, event }) =>
        this.nextNonce(contract, signer) === nonce &&
        (event.kind === 'deploy' || agreements.has(event.agreement)),
    );
    const permit = b % 2 === 0 ? pick(possible, a) : undefined;
    if (permit) return { ...common, ...permit.event, signer: permit.signer };
    const signer = pick([undefined, ...signers], b);
    const agreement = pick([...agreements.keys()], a);
    const input = pick(lampInputs, b);
    const account = signer === undefined ? { isIndirect: a % 3 === 0 } : { signer };
    if (kind === 'deploy' || !agreement || !input) {
      const lamp = pick(lamps, b);
      return lamp && agreements.size < 4 ? { ...common, ...account, kind: 'deploy', lamp } : undefined;
    }
    return { ...common, ...account, kind: 'input', agreement, input };
  }

  nextNonce(contract: Address, signer: Address): number {
    const { effects } = replay(factory, this.chain);
    let nonce = 0;
    while (effects.has(permitKey(contract, signer, nonce))) nonce += 1;
    return nonce;
  }

  #show(): Promise<void> {
    return this.#showBlocks(this.chain, this.chain.at(-1) ?? null);
  }

  #showLess(shown: string, head: string): Promise<void> {
    const count = { all: 1, mostly: 0.8, little: 0.3 }[shown] ?? 0;
    const blocks = this.chain.slice(0, Math.ceil(this.chain.length * count));
    const last = blocks.at(-1);
    if (!last || head === 'last') return this.#showBlocks(blocks, last ?? null);
    if (head === 'early') return this.#showBlocks(blocks, blocks.at(-3) ?? null);
    return this.#showBlocks([...blocks.slice(0, -1), { ...last, events: last.events.slice(0, 1) }], null);
  }

  async #showBlocks(blocks: readonly ChainBlock[], head: ChainBlock | null): Promise<void> {
    // Copy the blocks: the chain goes on changing them, but the index keeps this moment.
    this.shown = { blocks: blocks.map((shown) => ({ ...shown, events: [...shown.events] })), head };
    await this.fixture.index.show({ chainId, ...this.shown });
  }

  /** The last used nonce, the next one, or the one after. */
  #chooseNonce(contract: Address, signer: Address, number: number): number {
    return Math.max(0, this.nextNonce(contract, signer) + (pick([0, 0, -1, -1, 1], number) ?? 0));
  }

  #chooseDeadline(number: number): number {
    const time = this.chain.at(-1)?.timestamp ?? 1_000_000;
    return number % 4 === 0 ? time + (number % 40) : farDeadline;
  }

  async #submitDeployment(a: number, b: number): Promise<void> {
    const [signer] = signers;
    const lamp = pick(lamps, a);
    const principalId = pick(this.principals.slice(0, 2), b);
    if (!signer || !lamp || !principalId) return;
    const nonce = this.#chooseNonce(factory, signer, a);
    const known = this.permits.find((other) => other.contract === factory && other.nonce === nonce);
    const content = deploymentContent(lamp);
    const permit =
      known ??
      (await this.#accept({ contract: factory, signer, nonce, content, event: { kind: 'deploy', lamp } }, b));
    if (permit.content !== content) return;
    if (this.records.some((other) => other.permit === permit && other.principalId === principalId)) return;
    const deployTransactionId = permit.transactionId;
    const { database } = this.fixture;
    const id = await service.insertRecord(database, { principalId, chainId, lamp, deployTransactionId });
    this.records.push({ id, principalId, lamp, permit });
  }

  async #submitInput(a: number, b: number): Promise<void> {
    const { rows } = await this.fixture.pool.query(
      `select id, address from service.records where status = 'Deployed' order by created_at, id`,
    );
    const found = pick(rows, a);
    const record = this.records.find(({ id }) => id === found?.id);
    const signer = pick(signers, b);
    if (!record || !signer) return;
    const agreement = getAddress(found.address);
    const nonce = this.#chooseNonce(agreement, signer, a + b);
    const known = this.permits.find(
      (other) => other.contract === agreement && other.signer === signer && other.nonce === nonce,
    );
    const effect = replay(factory, this.chain).effects.get(permitKey(agreement, signer, nonce));
    const input = this.#chooseInput(effect, a, b);
    const event = { kind: 'input' as const, agreement, input };
    const content = inputContent(input);
    const permit = known ?? (await this.#accept({ contract: agreement, signer, nonce, content, event }, b));
    if (permit.event.kind !== 'input') return;
    if (this.submissions.some((other) => other.permit === permit && other.recordId === record.id)) return;
    const id = await service.insertSubmission(this.fixture.database, {
      principalId: record.principalId,
      recordId: record.id,
      chainId,
      agreement,
      lamp: record.lamp,
      input: permit.event.input,
      transactionId: permit.transactionId,
      signer,
    });
    this.submissions.push({ id, recordId: record.id, permit });
  }

  /** If the nonce is used up already, mostly the input that used it up. */
  #chooseInput(effect: Effect | undefined, a: number, b: number): LampInput {
    const [first] = lampInputs;
    const same = lampInputs.find((input) => inputContent(input) === effect?.content);
    const chosen = (b % 3 === 0 ? undefined : same) ?? pick(lampInputs, a) ?? first;
    if (!chosen) throw new Error('there are no inputs');
    return chosen;
  }

  async #accept(permit: Omit<PermitRow, 'transactionId' | 'deadline'>, number: number): Promise<PermitRow> {
    const deadline = this.#chooseDeadline(number);
    const { contract, signer, nonce, event } = permit;
    const [lamp] = lamps;
    if (!lamp) throw new Error('there are no lamps');
    const contentHash =
      event.kind === 'deploy' ? event.lamp.signedHash : service.contentHashOf(lamp, event.input);
    const transactionId = await service.insertTransaction(this.fixture.database, {
      kind: event.kind,
      chainId,
      contract,
      signer,
      nonce: BigInt(nonce),
      deadline: BigInt(deadline),
      contentHash,
    });
    const row = { ...permit, deadline, transactionId };
    this.permits.push(row);
    return row;
  }

  /** As an import does it, which is refused while the principal's record at the address is Deployed. */
  async #askForAddress(a: number, b: number): Promise<void> {
    const principalId = this.principals[2];
    const lamp = pick(lamps, b);
    const address = addressOfClone(a % 3);
    if (!principalId || !lamp) return;
    const holder = this.holders.get(address);
    const shown = replay(factory, this.shown.blocks).agreements.get(address);
    const found = { lamp, creation: shown?.lamp === lamp ? shown.creation : undefined };
    if (holder && (isOf(holder, found) || (await this.#isDeployed(holder)))) return;
    const { database } = this.fixture;
    const place = {
      ...{ principal_id: principalId, chain_id: chainId, address, doc_hash: lamp.docHash },
      transaction_hash: found.creation?.transactionHash ?? ('0x' as const),
      permit_creation: found.creation?.permitCreation ?? null,
    };
    await displaceWaiting(database, [place]);
    const known = this.records.findLast((other) => other.address === address && isOf(other, found));
    if (known) {
      await restoreDisplaced(database, await findDisplaced(database, [place]));
      this.holders.set(address, known);
      return;
    }
    const creation = found.creation && adoptedCreationOf(found.creation);
    const id = await service.insertRecord(database, { principalId, chainId, lamp, address, creation });
    const record = { id, principalId, lamp, address, creation };
    this.records.push(record);
    this.holders.set(address, record);
  }

  async #isDeployed({ id }: RecordRow): Promise<boolean> {
    const { rows } = await this.fixture.pool.query('select status from service.records where id = $1', [id]);
    return rows[0]?.status === 'Deployed';
  }
}
