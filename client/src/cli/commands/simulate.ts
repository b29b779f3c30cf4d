import type { Command } from 'commander';
import { createSimulation, type SimulatedOutcome } from '../../simulate/createSimulation.ts';
import { CliError, exitCodes } from '../cliError.ts';
import { type Context, collect } from '../context.ts';
import { isJsonObject, readDocument, readPairs } from '../readDocument.ts';
import { paint, plain } from '../terminal.ts';
import { writeExamples } from '../writeExamples.ts';

type Options = { participant: readonly string[]; value: readonly string[]; step: readonly string[] };
type Step = { by: string; inputId: string; values: Record<string, unknown> };

/** Wallets for participants without one: all different, with unknown keys. */
const inventedWallet = (at: number): string => `0x${(at + 1).toString(16).padStart(40, '5')}`;

export function addSimulate(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('simulate')
    .description("simulate a document's inputs by the contract's rules, on this machine; nothing is sent")
    .argument('<document>', 'a JSON file, or - for the standard input')
    .option(
      '--participant <variable=address>',
      "a participant's wallet; otherwise one is made up",
      collect,
      [],
    )
    .option('--value <variable=value>', 'an initial value; repeatable', collect, [])
    .option(
      '--step <by:input[:values]>',
      'who sends which input, with values as JSON; repeatable',
      collect,
      [],
    )
    .addHelpText(
      'after',
      writeExamples(
        `simulate mural.json --value wall='East wall' --value wallSquareMetres=84 \\\n    --step 'artist:acceptCommission:{"artistSignature": "M. Tamm"}'`,
      ),
    )
    .action(async (file: string, options: Options) => {
      const agreement = await readDocument(terminal, file);
      const wallets = { ...inventWallets(agreement), ...readPairs(options.participant, '--participant') };
      const simulation = createSimulation({
        agreement,
        initValues: readPairs(options.value, '--value'),
        participants: Object.entries(wallets).map(([variableKey, walletAddress]) => ({
          variableKey,
          walletAddress,
        })),
      });
      const start = simulation.state;
      const steps = options.step.map(readStep).map((step) => ({ ...step, outcome: simulation.play(step) }));
      const lines = steps.map(({ by, inputId, outcome }) => {
        const mark = outcome.ok ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
        return `${mark} ${plain(`${inputId} by ${by}: ${describe(outcome)}`)}`;
      });
      const accepted = simulation.accepted().map((input) => input.inputId);
      const next = accepted.length > 0 ? `next: ${accepted.join(', ')}` : 'no input is accepted';
      context.answer({
        value: { start, steps, state: simulation.state, accepted },
        text: [plain(`starts in ${start}`), ...lines, plain(`is in ${simulation.state}; ${next}`)].join('\n'),
      });
      if (steps.some(({ outcome }) => !outcome.ok)) context.endWith(exitCodes.refused);
    });
}

function describe(outcome: SimulatedOutcome): string {
  if (outcome.ok) return `${outcome.fromState} → ${outcome.toState}`;
  const { revert, issues, reason } = outcome;
  const said =
    revert === undefined ? issues.map(({ path, message }) => `${path} ${message}`) : revert.args.map(String);
  return `${reason}: ${[revert?.name, ...said].filter(Boolean).join(', ')}`;
}

function inventWallets({ variables }: Record<string, unknown>): Record<string, string> {
  const declared = Object.entries(isJsonObject(variables) ? variables : {});
  const isParty = (variable: unknown) =>
    isJsonObject(variable) && (variable.subtype === 'participant' || variable.subType === 'participant');
  const parties = declared.filter(([, variable]) => isParty(variable));
  return Object.fromEntries(parties.map(([name], at) => [name, inventedWallet(at)]));
}

/** @throws CliError for anything but BY:INPUT or BY:INPUT:VALUES. */
function readStep(text: string): Step {
  const [, by, inputId, json = '{}'] = /^([^:]+):([^:]+)(?::(.*))?$/s.exec(text) ?? [];
  if (by === undefined || inputId === undefined)
    throw new CliError('--step takes BY:INPUT or BY:INPUT:VALUES, with the values as JSON.');
  let values: unknown;
  try {
    values = JSON.parse(json);
  } catch {
    throw new CliError(`The values of ${inputId} are not JSON.`);
  }
  if (isJsonObject(values)) return { by, inputId, values };
  throw new CliError(`The values of ${inputId} must be a JSON object.`);
}
