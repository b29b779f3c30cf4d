import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../src/cli/devtools/freePort.ts';
import type { Child } from '../src/platform/supervision/child.ts';
import { verifyEvidence } from '../src/protocol/evidence/verifyEvidence.ts';
import { withOwnPostgres } from '../test/support/longRun.ts';
import { createServiceStack, type ServiceStack } from '../test/support/serviceStack.ts';
import { createSingleCallClient } from '../test/support/singleCalls.ts';
import { waitUntil } from '../test/support/waitUntil.ts';
import { collectSamples, type Samples, watchFlags } from './evidence/collectSamples.ts';
import { fillBlocks } from './evidence/fillBlocks.ts';
import { type RecordedNode, recordNode } from './evidence/recordNode.ts';
import { readProcessorSeconds } from './processorTime.ts';
import { deployAgreements } from './relayCalls.ts';

export type EvidenceCommand = {
  inputs: number;
  inputsPerBlock: number;
  blockTransactions: number;
  rounds: number;
  profile?: string;
};

/** One file without stored proofs, and the same file again. Times in seconds. */
type Round = {
  /** From the request to the last byte. */
  seconds: number;
  /** Seconds of the same calls to the node alone, by the same route. */
  nodeSeconds: number;
  /** With all proofs stored. */
  keptSeconds: number;
  /** Processor time of the API for the first and for the second request. */
  processorSeconds: number;
  keptProcessorSeconds: number;
  samples: Samples;
  /** Of the second request. */
  keptSamples: Samples;
};

export type EvidenceResult = {
  options: EvidenceCommand;
  fileMb: number;
  restMb: number;
  rounds: readonly Round[];
};

const restSeconds = 10;
/** Long enough for an indexer that follows full blocks while the node is busy. */
const foldMs = 3_600_000;

/**
 * Measures evidence of a long history in full blocks, on its own stack: its duration compared with the
 * node's, how long the API's event loop is blocked at a time, and its memory. Each file is verified.
 */
export async function runEvidenceBenchmark(options: EvidenceCommand): Promise<EvidenceResult> {
  const results: EvidenceResult[] = [];
  await withOwnPostgres(async (databaseUrl) => {
    results.push(await measure(options, databaseUrl));
  });
  const [result] = results;
  if (!result) throw new Error('nothing was measured');
  print(result);
  return result;
}

async function measure(options: EvidenceCommand, databaseUrl: string): Promise<EvidenceResult> {
  const stack = await createServiceStack({ databaseUrl, wallets: 1 });
  const children: Child[] = [];
  const node = await recordNode(stack.rpcUrl);
  try {
    return await measureOn({ stack, node, children }, options);
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await node.close();
    await stack.close();
  }
}

async function measureOn(
  { stack, node, children }: { stack: ServiceStack; node: RecordedNode; children: Child[] },
  options: EvidenceCommand,
): Promise<EvidenceResult> {
  const collected = collectSamples();
  const baseUrl = `http://127.0.0.1:${await findFreePort()}`;
  const env = { PORT: new URL(baseUrl).port, LOG_LEVEL: 'warn' };
  const onLine = (line: string) => console.error(line);
  for (const kind of ['indexer', 'worker'] as const) children.push(stack.start(kind, { env, onLine }));
  const profiling = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`];
  const api = stack.start('api', {
    env: { ...env, [`RPC_URL_${stack.chainId}`]: node.url, EVIDENCE_WAIT_MS: '120000' },
    nodeFlags: [...watchFlags, ...profiling],
    onLine: (line) => void (collected.take(line) || onLine(line)),
  });
  children.push(api);
  await stack.awaitReady();
  await waitUntil('the API answers', () =>
    fetch(`${baseUrl}/v0/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const client = createSingleCallClient({ baseUrl, apiKey: stack.apiKey });
  const [agreement, other] = await deployAgreements(stack, { client, count: 2 });
  if (!agreement || !other) throw new Error('nothing was deployed');
  console.error(`${options.inputs} inputs in blocks of ${options.blockTransactions} transactions`);
  await fillBlocks(stack, { ...options, agreement, other: other.address });
  await stack.awaitFolded(foldMs);

  const read = async () => {
    const url = `${baseUrl}/v0/agreements/${agreement.id}/evidence`;
    for (;;) {
      const response = await fetch(url, { headers: { 'x-api-key': stack.apiKey } });
      const file = new Uint8Array(await response.arrayBuffer());
      if (response.status === 200) return file;
      // A long history takes longer to prove than a request waits.
      if (response.status !== 202) throw new Error(`${response.status} ${new TextDecoder().decode(file)}`);
    }
  };
  await delay(1_000 * restSeconds);
  const { restMb } = collected.flush();
  const rounds: Round[] = [];
  let fileMb = 0;
  for (let round = 0; round < options.rounds; round++) {
    await stack.pool.query('truncate service.evidence_proofs');
    node.take();
    const usedBefore = readProcessorSeconds(api.pid);
    const [file, seconds] = await time(read);
    const processorSeconds = readProcessorSeconds(api.pid) - usedBefore;
    const recording = node.take();
    const samples = collected.flush();
    const nodeSeconds = (await node.replay(recording)) / 1_000;
    collected.flush();
    const usedSince = readProcessorSeconds(api.pid);
    const [, keptSeconds] = await time(read);
    const keptProcessorSeconds = readProcessorSeconds(api.pid) - usedSince;
    const keptSamples = collected.flush();
    await requireGenuine(file, options.inputs);
    fileMb = file.byteLength / 1e6;
    rounds.push({
      ...{ seconds, nodeSeconds, keptSeconds, processorSeconds, keptProcessorSeconds },
      ...{ samples, keptSamples },
    });
    await delay(1_000);
    collected.flush();
  }
  return { options, fileMb, restMb, rounds };
}

async function time<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  const startedAt = performance.now();
  return [await work(), (performance.now() - startedAt) / 1_000];
}

/** @throws Error if the file does not verify, or if inputs are missing. */
async function requireGenuine(file: Uint8Array, inputs: number): Promise<void> {
  const verdict = await verifyEvidence(file);
  if (verdict.ok && verdict.level === 'included' && verdict.acts.length === inputs + 1) return;
  throw new Error(`the file does not hold: ${JSON.stringify(verdict).slice(0, 300)}`);
}

function print({ options, fileMb, restMb, rounds }: EvidenceResult): void {
  const { inputs, inputsPerBlock, blockTransactions } = options;
  console.log(
    `${inputs} inputs, ${inputsPerBlock} of them in each block of ${blockTransactions} transactions; a file of ${fileMb.toFixed(1)} MB, verified; API at rest ${restMb} MB`,
  );
  for (const round of rounds) {
    const { seconds, nodeSeconds, keptSeconds, processorSeconds, keptProcessorSeconds } = round;
    const { samples, keptSamples } = round;
    const describeMemory = ({ residentMb }: Samples) => `memory +${Math.round(residentMb - restMb)} MB`;
    console.log(
      [
        `${seconds.toFixed(2)} s`,
        `the node alone ${nodeSeconds.toFixed(2)} s`,
        `beside it ${(seconds - nodeSeconds).toFixed(2)} s`,
        `of a processor ${processorSeconds.toFixed(2)} s`,
        `again ${keptSeconds.toFixed(2)} s, of a processor ${keptProcessorSeconds.toFixed(2)} s, ${describeMemory(keptSamples)}`,
        `event loop held at most ${samples.heldMs} ms (late ${samples.lateMs} ms)`,
        describeMemory(samples),
      ].join('   '),
    );
  }
}
