import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { findDevDirectory } from '../src/cli/dev/devDirectory.ts';
import { findRunningDevStack } from '../src/cli/dev/devStack.ts';
import { runCompileBenchmark } from './compileCommand.ts';
import { describeDistribution } from './distribution.ts';
import { type EvidenceCommand, runEvidenceBenchmark } from './evidenceCommand.ts';
import { runIndexBenchmark } from './indexCommand.ts';
import { measureLatency } from './latency.ts';
import { describeMachine } from './machine.ts';
import { type MemoryCommand, runMemoryBenchmark } from './memoryCommand.ts';
import { compareServers, describeComparison } from './read/compareServers.ts';
import { type ReadCommand, runReadBenchmark } from './readCommand.ts';
import { runRelayBenchmark } from './relayCommand.ts';
import { measureWebhookLatency } from './webhookLatency.ts';
import { runWebhookBenchmark } from './webhooksCommand.ts';

const directory = findDevDirectory(process.env);

const program = new Command('bench').description(
  'Measures the npm run dev that is running. Results are printed, and kept in bench/results with what they were measured on.',
);
program
  .command('latency')
  .description('from the receipt of a transaction to the state being served')
  .option('--rounds <count>', 'measured transactions', parseCount, 200)
  .option('--chain <id>', 'chain id', parseCount, 59141)
  .action(async ({ rounds, chain }: { rounds: number; chain: number }) => {
    const stack = getStack();
    const latencyMs = await measureLatency({ stack, chainId: chain, rounds });
    console.log(`receipt → GET /state   ${describeDistribution(latencyMs, 'ms')}`);
    keep('latency', { chainId: chain, latencyMs });
  });
program
  .command('memory')
  .description('resident memory of API, worker and indexer, at rest and then while agreements are read')
  .option('--seconds <count>', 'how long to look at rest', parseCount, 30)
  .option('--minutes <count>', 'how long to read and look', parseCount, 10)
  .option('--connections <count>', 'connections that read at the same time', parseCount, 10)
  .action(async (options: MemoryCommand) =>
    keep('memory', await runMemoryBenchmark({ ...options, directory, stack: getStack() })),
  );
program
  .command('relay')
  .description('inputs a second and their latency, on a stack of its own that nothing else uses')
  .option('--seconds <count>', 'how long each part lasts', parseCount, 60)
  .option('--wallets <count>', 'relayer wallets', parseCount, 32)
  .option('--block-seconds <count>', 'time between two blocks', parseCount, 1)
  .option('--concurrency <count>', 'requests at the same time', parseCount, 64)
  .option('--per-second <count>', 'inputs signed beforehand for each second', parseCount, 1000)
  .option('--profile <directory>', 'where API and worker leave CPU profiles')
  .action(async (options) => keep('relay', await runRelayBenchmark(options)));
program
  .command('webhooks')
  .description(
    'deliveries a second beside bare posts, and beside a dead and a slow receiver, on a database of its own',
  )
  .option('--receivers <count>', 'quick receivers', parseCount, 100)
  .option('--rounds <count>', 'rounds of 100 events for each receiver', parseCount, 5)
  .option('--profile <directory>', 'where the delivering process leaves a CPU profile')
  .action(async (options) => keep('webhooks', await runWebhookBenchmark(options)));
program
  .command('webhook-latency')
  .description('from the receipt of a transaction to the webhook being received')
  .option('--rounds <count>', 'measured transactions', parseCount, 100)
  .option('--chain <id>', 'chain id', parseCount, 59141)
  .action(async ({ rounds, chain }: { rounds: number; chain: number }) => {
    const latencyMs = await measureWebhookLatency({ stack: getStack(), chainId: chain, rounds });
    console.log(`receipt → webhook received   ${describeDistribution(latencyMs, 'ms')}`);
    keep('webhook-latency', { chainId: chain, latencyMs });
  });
program
  .command('compile')
  .description('a document compiled and hashed, beside the same with viem alone')
  .option('--directory <path>', 'where the documents are, by default the examples')
  .option('--rounds <count>', 'measured compilations', parseCount, 1_000)
  .action((options) => keep('compile', runCompileBenchmark(options)));
program
  .command('evidence')
  .description(
    'evidence of a long history in full blocks, beside the same calls to the node, on a stack of its own',
  )
  .option('--inputs <count>', 'inputs of the record', parseCount, 1_000)
  .option('--inputs-per-block <count>', 'how many of them stand in a block', parseCount, 10)
  .option('--block-transactions <count>', 'transactions of a block', parseCount, 200)
  .option('--rounds <count>', 'files that nothing is kept for', parseCount, 3)
  .option('--profile <directory>', 'where the API leaves a CPU profile')
  .action(async (options: EvidenceCommand) => keep('evidence', await runEvidenceBenchmark(options)));
program
  .command('index')
  .description('backfill of a chain with many inputs, beside a bare Ponder')
  .option('--events <count>', 'inputs on the chain', parseCount, 100_000)
  .action(async (options) => keep('index', await runIndexBenchmark(options)));
program
  .command('read')
  .description('reads of one API beside a bare handler and Ponder, on a database of its own')
  .option(
    '--sizes <counts>',
    'agreements in the database, with commas between',
    parseCounts,
    [1_000, 100_000, 1_000_000],
  )
  .option('--seconds <count>', 'how long each route is asked', parseCount, 10)
  .option('--connections <count>', 'connections at the same time', parseCount, 50)
  .option('--profile <directory>', 'where the API leaves a CPU profile')
  .option(
    '--database-url <url>',
    'another PostgreSQL, as superuser: compares single reads on it with those on the embedded one, at the largest size',
  )
  .action(async ({ databaseUrl, ...options }: ReadCommand & { databaseUrl?: string }) => {
    if (databaseUrl === undefined) return keep('read', await runReadBenchmark(options));
    const comparison = await compareServers({ databaseUrl, size: Math.max(...options.sizes) });
    console.log(describeComparison(comparison));
    keep('read-elsewhere', comparison);
  });

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

function getStack() {
  const stack = findRunningDevStack(directory);
  if (!stack) throw new Error('No development stack is running here: start one with npm run dev.');
  return stack;
}

function keep(name: string, result: Record<string, unknown>): void {
  const folder = fileURLToPath(new URL('results/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const machine = describeMachine();
  writeFileSync(
    `${folder}${name}.json`,
    `${JSON.stringify({ measuredAt: new Date().toISOString(), ...result, machine }, null, 2)}\n`,
  );
  const versions = Object.entries(machine.versions).map((named) => named.join(' '));
  console.log(
    `${machine.cores} cores of ${machine.cpu}, load ${machine.load}, Node ${machine.node}, ${versions.join(', ')} → bench/results/${name}.json`,
  );
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${text} is no count`);
  return Number(text);
}

function parseCounts(text: string): number[] {
  return text.split(',').map(parseCount);
}
