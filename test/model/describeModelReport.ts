import type { ModelReport } from './runModelTest.ts';

/** The compared cases and the differences, in lines for a terminal. */
export function describeModelReport({ reached, findings }: ModelReport): string {
  const { cases, steps, accepted, reverts } = reached;
  const counts = [...reverts].sort(([, one], [, other]) => other - one);
  return [
    `${cases} agreements and ${steps} inputs compared, ${accepted} of them accepted. Reverts of the contract:`,
    ...counts.map(([name, count]) => `  ${String(count).padStart(8)}  ${name}`),
    ...findings.flatMap(({ case: modelCase, differences }) => [
      'DIFFERENCE, in the smallest case found:',
      ...differences.map((difference) => `  ${difference}`),
      JSON.stringify(modelCase, writeBigint, 2),
    ]),
    findings.length === 0 ? 'Model and contracts agree.' : `${findings.length} or more cases differ.`,
  ].join('\n');
}

function writeBigint(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
