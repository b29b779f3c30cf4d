import { styleText } from 'node:util';
import type { Played } from './playScenario.ts';

/** The timeline of one agreement: the service's data on the left, the contract's on the right. */
export function describePlayed(played: Played, chainName: string, differences: readonly string[]): string {
  const { scenario, address, served, contract, steps, payment } = played;
  const { parties } = scenario;
  const heading = `${styleText('bold', scenario.title)} on ${chainName}  ${served.record.id} at ${address}`;
  const rows = steps.map(({ step, tookMs }, at) => {
    const input = served.inputs[at];
    const accepted = contract.inputs[at];
    return [
      String(at + 1),
      step.inputId,
      parties[step.by],
      step.direct ? 'contract' : 'API',
      `${input?.fromState} → ${input?.toState}`,
      `${accepted?.fromState} → ${accepted?.toState}`,
      String(accepted?.blockNumber),
      `${Math.round(tookMs)} ms`,
    ];
  });
  const table = alignColumns([
    ['', 'input', 'by', 'sent to', 'GET /inputs', 'InputAccepted', 'block', 'served in'],
    ...rows,
  ]);
  const [header = '', ...body] = table;
  const nonces = [...contract.nonces.values()].join(' and ');
  const verdict = [
    `state ${served.state.state}, the contract's ${contract.state}`,
    `${served.inputs.length} inputs, ${contract.inputs.length} logs`,
    `permits used: ${nonces}`,
    ...(payment ? [`paid ${payment.moved} of ${payment.agreed}`] : []),
    `wrong party: ${played.refusal}`,
  ].join(' · ');
  const mark = differences.length === 0 ? styleText('green', '✓') : styleText('red', '✗');
  return [
    heading,
    `  preflight ${played.warnings} warnings, simulated to ${played.simulated.state}, deployed by ${parties.author}'s permit in ${Math.round(played.deployedInMs)} ms`,
    styleText('dim', header),
    ...body,
    `${mark} ${verdict}`,
    ...differences.map((difference) => styleText('red', `  ${difference}`)),
    '',
  ].join('\n');
}

function alignColumns(rows: readonly string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
}
