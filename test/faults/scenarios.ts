import { setTimeout as delay } from 'node:timers/promises';
import { startAnvil } from '../../src/cli/devtools/anvil.ts';
import { createAnvilClient } from '../support/anvilClient.ts';
import type { BlockMaker } from '../support/blockMaker.ts';
import type { Lie, LyingNode } from '../support/lyingNode.ts';
import { pick } from '../support/random.ts';
import { passTimeout, waitUntil } from '../support/waitUntil.ts';
import type { Agreement } from './support/caller.ts';
import type { ScenarioWorld } from './support/scenarioWorld.ts';
import { encodeDirectInput } from './support/signer.ts';
import { type Conduct, keyOf, type Ledger } from './support/traffic.ts';

/** A disturbance of a working service, and the behaviour of its callers meanwhile. */
export type Scenario = {
  readonly conduct: Conduct;
  /** Returns once everything works normally again. */
  disturb(scene: Scene): Promise<void>;
};

export type Scene = {
  readonly world: ScenarioWorld;
  readonly blocks: BlockMaker;
  readonly agreements: readonly Agreement[];
  readonly ledger: Ledger;
  random(): number;
};

const calm: Conduct = { inputs: ['write'], isCompeting: false };
const deepestReorg = 6;
const reorgs = 4;
const troubles = 12;
const competitionMs = 8_000;
const forkMs = 8_000;

/** If signers do not compete, no request is refused and nothing fails. */
export const scenarios = {
  /**
   * Heads and logs come from one fork. Blocks by hash come from another fork, which does not know the
   * parents.
   */
  twoForks: { conduct: calm, disturb: tellOfTwoForks },
  /** Mined transactions have no receipts, and the index does not show them either. */
  nullReceipts: { conduct: calm, disturb: hideReceipts },
  /** One endpoint is ten blocks behind the other one. */
  twoHeights: {
    conduct: calm,
    disturb: ({ world, random }) => lie(pick(random, world.nodes), 'behind', 4_000 + 4_000 * random()),
  },
  /** Connections to one or both endpoints stay open but nothing comes back. */
  halfOpen: { conduct: calm, disturb: fallSilent },
  /** Blocks are replaced, with or without their transactions, while several wallets send. */
  reorganisations: { conduct: calm, disturb: replaceBlocks },
  /**
   * Signers send their permits to the contract themselves: before the service, at the same time, or with
   * other content for the same nonce.
   */
  competingSigners: {
    conduct: { inputs: ['write'], isCompeting: true },
    disturb: () => delay(competitionMs),
  },
  /**
   * The service admits inputs from its index and outbox. Meanwhile others open and shut the door directly at
   * the contract, blocks are replaced, and processes are killed.
   */
  localAdmission: {
    conduct: { inputs: ['write', 'write', 'write', 'shut', 'open'], isCompeting: false },
    disturb: interfere,
  },
} satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

async function tellOfTwoForks({ world, random }: Scene): Promise<void> {
  const { chainId, rpcUrl, client } = world.stack;
  const blockNumber = Number(await client.getBlockNumber());
  const fork = await startAnvil({ chainId, fork: { url: rpcUrl, blockNumber } });
  try {
    await createAnvilClient(fork.rpcUrl).mine({ blocks: 2 + Math.floor(random() * 4) });
    const liars = random() < 0.5 ? world.nodes : [pick(random, world.nodes)];
    const countUnknown = () => liars.reduce((sum, node) => sum + node.countUnknown(), 0);
    const before = countUnknown();
    for (const node of liars) {
      node.forkTo(fork.rpcUrl);
      node.tell('twoForks');
    }
    await waitUntil('a parent is unknown', () => countUnknown() > before, forkMs).catch(passTimeout);
    for (const node of liars) node.tell(undefined);
  } finally {
    await fork.stop();
  }
}

async function hideReceipts({ world, random }: Scene): Promise<void> {
  const { indexer } = world.processes;
  for (const node of world.nodes) node.tell('nullReceipts');
  indexer.signal('SIGSTOP');
  await delay(2_000 + 4_000 * random());
  indexer.signal('SIGCONT');
  await delay(2_000 * random());
  for (const node of world.nodes) node.tell(undefined);
}

async function fallSilent({ world, random }: Scene): Promise<void> {
  const silent = random() < 0.7 ? [pick(random, world.nodes)] : world.nodes;
  const lengthMs = 3_000 + 5_000 * random();
  await Promise.all(silent.map((node) => lie(node, 'silent', lengthMs)));
}

async function replaceBlocks({ world, blocks, random }: Scene): Promise<void> {
  for (let count = 0; count < reorgs; count++) {
    await delay(500 + 1_500 * random());
    await replaceSome({ world, blocks, random });
  }
}

async function replaceSome({
  world,
  blocks,
  random,
}: Pick<Scene, 'world' | 'blocks' | 'random'>): Promise<void> {
  const depth = 1 + Math.floor(random() * deepestReorg);
  const isIncluding = random() < 0.5;
  await blocks.between(() => world.reorganise(depth, { isIncluding }));
}

async function interfere(scene: Scene): Promise<void> {
  const { world, agreements, ledger, random } = scene;
  const { api, indexer, workers } = world.processes;
  for (let count = 0; count < troubles; count++) {
    await delay(300 + 900 * random());
    const kind = random();
    if (kind < 0.2) await replaceSome(scene);
    else if (kind < 0.4) await pick(random, [api, indexer, ...workers]).kill();
    else {
      const { address } = pick(random, agreements);
      const { data, payload } = encodeDirectInput(pick(random, ['shut', 'open']));
      ledger.direct.add(keyOf({ agreement: address, payload }));
      await world.sendDirectly({ to: address, data, isFirst: random() < 0.5 });
    }
  }
}

async function lie(node: LyingNode, which: Lie, lengthMs: number): Promise<void> {
  node.tell(which);
  await delay(lengthMs);
  node.tell(undefined);
}
