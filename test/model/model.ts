import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { AgreementError, ValuesError } from '../../src/protocol/index.ts';
import { parseCount } from '../support/longRun.ts';
import { describeModelReport } from './describeModelReport.ts';
import { generateCases, runModelTest } from './runModelTest.ts';
import { startContractChain } from './support/contractChain.ts';
import type { ModelCase } from './support/modelCase.ts';
import { walkDocument } from './support/walkDocument.ts';

const progressEvery = 10_000;

const program = new Command('test:model')
  .description(
    'Plays generated agreements in the model and on the compiled contracts and compares what they say.',
  )
  .option('--cases <count>', 'agreements to generate, each with several inputs', parseCount, 20_000)
  .option('--seed <number>', 'decides what is generated', parseCount, 1)
  .option(
    '--documents <directory>',
    'walk every authored document (*.json) of this directory through all paths instead',
  )
  .parse();
const { cases, seed, documents } = program.opts<{ cases: number; seed: number; documents?: string }>();

const chain = await startContractChain();
try {
  if (documents === undefined) await compareGenerated();
  else await compareDocuments(documents);
} finally {
  await chain.stop();
}

async function compareGenerated(): Promise<void> {
  const startedAt = performance.now();
  const report = await runModelTest({
    chain,
    cases: generateCases(cases, seed),
    onProgress: (reached) => {
      if (reached.cases % progressEvery === 0) console.log(`${reached.cases} cases …`);
    },
  });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`seed ${seed}, ${seconds} s`);
  print(report);
}

async function compareDocuments(directory: string): Promise<void> {
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.json'))) {
    console.log(`${file}:`);
    const agreement: unknown = JSON.parse(readFileSync(join(directory, file), 'utf8'));
    const cases = walkReadable(agreement);
    if (cases !== null) print(await runModelTest({ chain, cases }));
  }
}

/** Null for a document that nobody can deploy; the others are still walked. */
function walkReadable(agreement: unknown): ModelCase[] | null {
  try {
    return walkDocument(agreement);
  } catch (error) {
    if (!(error instanceof AgreementError || error instanceof ValuesError)) throw error;
    console.log(
      [error.message, ...error.issues.map(({ path, message }) => `  ${path} ${message}`)].join('\n'),
    );
    process.exitCode = 1;
    return null;
  }
}

function print(report: Awaited<ReturnType<typeof runModelTest>>): void {
  console.log(describeModelReport(report));
  if (report.findings.length > 0) process.exitCode = 1;
}
