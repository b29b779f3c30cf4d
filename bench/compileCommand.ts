import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { compileAgreement, hashParameters } from '../src/protocol/index.ts';
import {
  type AuthoredDocument,
  compileWithViem,
  documentShape,
  type Values,
} from './compile/viemCompiler.ts';
import { type Distribution, summarise } from './distribution.ts';

export type CompileCommand = { directory?: string; rounds: number };

type Measure = { document: string; protocolUs: Distribution; viemUs: Distribution };

const examples = fileURLToPath(new URL('../examples/agreements/', import.meta.url));
const docUri = 'https://example.org/document';
const warmUpRounds = 200;

/** Values that fit the variables' types, if their meaning in a document does not matter. */
const samples: Values = {
  address: '0x00000000000000000000000000000000000000a1',
  uint256: '1000',
  bool: true,
  string: 'a text of some length',
  dateTime: '2026-06-01T00:00:00Z',
  signature: 'signed',
  bytes32: `0x${'ab'.repeat(32)}`,
  txHash: `0x${'cd'.repeat(32)}`,
};

/**
 * Measures compiling a parsed document and hashing its signed data, alternating with the same work by viem's
 * general functions. Throws if the hashes differ.
 */
export function runCompileBenchmark({ directory = examples, rounds }: CompileCommand): {
  measures: Measure[];
} {
  const names = readdirSync(directory).filter((name) => name.endsWith('.json'));
  const measures = names.flatMap((name): Measure[] => {
    const agreement: unknown = JSON.parse(readFileSync(`${directory}/${name}`, 'utf8'));
    const parsed = documentShape.safeParse(agreement);
    if (!parsed.success) {
      console.error(
        `${name} is left out: ${parsed.error.issues[0]?.path.join('.')} is not as the anchor takes it`,
      );
      return [];
    }
    return [{ document: name, ...measure(agreement, parsed.data) }];
  });
  const slowest = measures.toSorted((a, b) => b.protocolUs.p50 - a.protocolUs.p50);
  console.log(`compiled and hashed ${rounds} times each, in microseconds`);
  console.table(
    slowest.map(({ document, protocolUs, viemUs }) => ({
      document,
      'p50 µs': protocolUs.p50,
      'p99 µs': protocolUs.p99,
      'viem p50 µs': viemUs.p50,
      'viem p99 µs': viemUs.p99,
      'times as fast': Math.round((10 * viemUs.p50) / protocolUs.p50) / 10,
    })),
  );
  return { measures: slowest };

  function measure(agreement: unknown, document: AuthoredDocument): Omit<Measure, 'document'> {
    const values = Object.fromEntries(
      Object.entries(document.variables).map(([name, { type }]) => [name, samples[type] ?? 'a text']),
    );
    const protocol = () => hashParameters(compileAgreement(agreement, { docUri, values }));
    const viem = () => compileWithViem(agreement, document, values);
    const { docUri: _, ...hashes } = protocol();
    if (!isDeepStrictEqual(hashes, viem())) throw new Error('The two compilers disagree.');
    const [protocolUs, viemUs]: [number[], number[]] = [[], []];
    for (let round = -warmUpRounds; round < rounds; round++) {
      const [own, other] = [time(protocol), time(viem)];
      if (round < 0) continue;
      protocolUs.push(own);
      viemUs.push(other);
    }
    return { protocolUs: summarise(protocolUs), viemUs: summarise(viemUs) };
  }
}

function time(run: () => unknown): number {
  const startedAt = performance.now();
  run();
  return (performance.now() - startedAt) * 1_000;
}
