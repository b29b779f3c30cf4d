import { randomUUID } from 'node:crypto';
import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { parseAddress } from '../../src/protocol/index.ts';
import { awaitRest } from '../support/awaitRest.ts';
import { type BlockMaker, startBlockMaker } from '../support/blockMaker.ts';
import type { Flaws } from '../support/flaws.ts';
import { signDeployPermit } from '../support/permits.ts';
import { createRandom } from '../support/random.ts';
import { createSingleCallClient } from '../support/singleCalls.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { withClosings } from '../support/withClosings.ts';
import { countAll } from './describeReport.ts';
import { type Scenario, type ScenarioName, scenarios } from './scenarios.ts';
import { auditScenarios } from './support/auditScenarios.ts';
import type { Agreement } from './support/caller.ts';
import { createDealer } from './support/dealer.ts';
import { door } from './support/door.ts';
import { createInsistence } from './support/insistence.ts';
import { createScenarioWorld, type ScenarioWorld } from './support/scenarioWorld.ts';
import { type Ledger, playSigner } from './support/traffic.ts';

export type ScenarioRun = {
  databaseUrl: string;
  /** The number of scenarios to play. Each is played once before any repeats. */
  runs: number;
  seed: number;
  names: readonly ScenarioName[];
  /** Ends the run early; the report covers the scenarios so far. */
  signal?: AbortSignal;
  onProgress(message: string): void;
  onLine(line: string): void;
};

export type ScenarioReport = {
  seed: number;
  played: ScenarioName[];
  inputs: number;
  refusals: number;
  /** The number of admitted inputs that reverted, by the race that explains them. */
  races: Record<string, number>;
  transactions: number;
  fillers: number;
  reverted: number;
  flaws: Flaws;
  seconds: number;
};

const isName = (name: string): name is ScenarioName => name in scenarios;
export const scenarioNames: readonly ScenarioName[] = Object.keys(scenarios).filter(isName);

const signers = 4;
/** Several signers use each of them. */
const agreementsPerRun = 2;
const idleMs = 400;
const deployedMs = 300_000;

/**
 * Plays scenarios on a whole service, waits after each until nothing is under way, and compares everything
 * promised with the chain.
 */
export function runScenarios(run: ScenarioRun): Promise<ScenarioReport> {
  return withClosings(async (onClose) => {
    const startedAt = performance.now();
    const world = await createScenarioWorld({ ...run, onClose });
    const random = createRandom(run.seed);
    const dealt = createDealer(random, run.names);
    const ledger: Ledger = { promised: [], direct: new Set(), refusals: 0 };
    const deployments: { id: string; signer: Address }[] = [];
    const agreements: Agreement[] = [];
    const played: ScenarioName[] = [];
    const unexpected: string[] = [];
    let audited: Awaited<ReturnType<typeof auditScenarios>> | undefined;
    for (let at = 0; at < run.runs && !run.signal?.aborted; at++) {
      const name = dealt();
      if (name === undefined) throw new Error('there is nothing to play');
      played.push(name);
      const blocks = await startBlockMaker(world.stack.client, { idleMs });
      const note = (description: string) => unexpected.push(`run ${at} (${name}): ${description}`);
      await play(world, { scenario: scenarios[name], blocks, random, ledger, deployments, agreements, note });
      await awaitRest(world.stack, blocks.stop);
      // The last disturbance may have killed it.
      await waitUntil('the API answers', () =>
        fetch(`${world.baseUrl}/v0/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
      audited = await auditScenarios(world, { deployments, agreements, ledger });
      const found =
        Object.values(listFlaws(audited)).flat().length + unexpected.length + world.unexpected.length;
      run.onProgress(`${at + 1}: ${name}, ${ledger.promised.length} inputs answered, ${found} flaws`);
      if (found > 0) break;
    }
    if (!audited) throw new Error('nothing was played');
    const { transactions, fillers, reverted } = audited;
    return {
      seed: run.seed,
      played,
      inputs: ledger.promised.length,
      refusals: ledger.refusals,
      races: countAll(world.races),
      ...{ transactions, fillers, reverted },
      flaws: { ...listFlaws(audited), unexpected: [...unexpected, ...world.unexpected] },
      seconds: Math.round((performance.now() - startedAt) / 1_000),
    };
  });
}

/** Deploys new agreements, and lets signers use them until the disturbance is over. */
async function play(
  world: ScenarioWorld,
  parts: {
    scenario: Scenario;
    blocks: BlockMaker;
    ledger: Ledger;
    deployments: { id: string; signer: Address }[];
    agreements: Agreement[];
    random(): number;
    note(description: string): void;
  },
): Promise<void> {
  const { scenario, blocks, ledger, random, note } = parts;
  const own: Agreement[] = [];
  for (let at = 0; at < agreementsPerRun; at++) own.push(await deploy(world, { ...parts, random }));
  parts.agreements.push(...own);
  let isOver = false;
  const traffic = Promise.all(
    Array.from({ length: signers }, () =>
      playSigner(world, {
        agreements: own,
        conduct: scenario.conduct,
        ledger,
        random: createRandom(Math.floor(random() * 2 ** 31)),
        isOver: () => isOver,
        onRefusal: note,
      }),
    ),
  );
  traffic.catch(() => {});
  await scenario.disturb({ world, blocks, agreements: own, ledger, random });
  isOver = true;
  await traffic;
}

async function deploy(
  { stack, baseUrl }: ScenarioWorld,
  options: {
    deployments: { id: string; signer: Address }[];
    random(): number;
    note(description: string): void;
  },
): Promise<Agreement> {
  const { chainId, factory, reader: client, apiKey } = stack;
  const insist = createInsistence([createSingleCallClient({ baseUrl, apiKey })], {
    random: options.random,
    onRetry() {},
    onRefusal: (error) => options.note(String(error)),
  });
  const account = privateKeyToAccount(generatePrivateKey());
  const documentId = randomUUID();
  const docUri = `${baseUrl}/v0/agreements/documents/${documentId}`;
  const body = { agreement: door, chainId, docUri, documentId, displayName: 'Scenario' };
  const permit = await signDeployPermit({
    client,
    chainId,
    factory,
    agreement: door,
    docUri,
    values: {},
    account,
  });
  const record = await insist((service) => service.agreements.deployWithPermit({ ...body, ...permit }));
  if (!record) throw new Error('a deployment was refused');
  options.deployments.push({ id: record.id, signer: account.address });
  return waitUntil(
    `${record.id} is deployed`,
    async () => {
      const now = await insist((service) => service.agreements.get(record.id));
      const address = parseAddress(now?.address);
      return now?.status === 'Deployed' && address ? { id: now.id, address } : undefined;
    },
    deployedMs,
  );
}

function listFlaws(audited: Awaited<ReturnType<typeof auditScenarios>>): Flaws {
  const { lost, doubled, jammed, different, invented, unexplained } = audited;
  return { lost, doubled, jammed, different, invented, unexplained };
}
