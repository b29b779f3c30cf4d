import { Command, CommanderError, Help, type Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { type ExitCode, exitCodes } from './cliError.ts';
import { addAgreementCommands } from './commands/agreements.ts';
import { addAuthoringCommands } from './commands/authoring.ts';
import { addCompletion } from './commands/completion.ts';
import { addEventCommands } from './commands/events.ts';
import { addEvidenceCommands } from './commands/evidence.ts';
import { addListen } from './commands/listen.ts';
import { addLogin } from './commands/login.ts';
import { addSimulate } from './commands/simulate.ts';
import { addWatch } from './commands/watch.ts';
import { addWebhookCommands } from './commands/webhooks.ts';
import { createContext, type Ending } from './context.ts';
import { explainError } from './explainError.ts';
import { readSettings } from './settings.ts';
import { paint, plain, printJson, type Terminal } from './terminal.ts';

const examples = `
Examples:
  agreements login http://127.0.0.1:3000
  agreements validate mural.json
  agreements deploy mural.json --chain 59141 --name 'East wall' --participant artist=0x… --value wall='East wall'
  agreements show agr_…
  agreements act agr_… acceptCommission --value artistSignature='M. Tamm'
  agreements watch agr_…
  agreements diagram mural.json
  agreements evidence agr_… --out mural-evidence.json
  agreements verify mural-evidence.json

Signing: AGREEMENTS_PRIVATE_KEY, or --keystore with AGREEMENTS_KEYSTORE_PASSWORD or --password-file.
Access: AGREEMENTS_URL and AGREEMENTS_API_KEY, or agreements login.
Exit codes: 0 done, 1 refused, 2 wrong use, 3 no access, 4 not found, 5 service away, 6 failed or timed out,
130 stopped before the end.`;

/** The whole command line; nothing runs before it is parsed. */
export function buildProgram(terminal: Terminal, ending: Ending): Command {
  const program = new Command('agreements')
    .description('Deploys, reads and moves agreements.')
    .version(manifest.version, '-V, --version', 'print the version of this program')
    .option('--json', 'print one JSON value; commands without an end print one per line')
    .option('--url <url>', 'the service, instead of AGREEMENTS_URL or the last login')
    .option(
      '--api-key <key>',
      'instead of AGREEMENTS_API_KEY or the last login; visible to others in the list of processes',
    )
    .exitOverride()
    .showHelpAfterError('(--help shows how it is used)')
    .addHelpText('after', examples);
  const context = createContext(terminal, program, ending);
  addLogin(program, context);
  addAuthoringCommands(program, context);
  addSimulate(program, context);
  addAgreementCommands(program, context);
  addWatch(program, context);
  addEventCommands(program, context);
  addEvidenceCommands(program, context);
  addWebhookCommands(program, context);
  addListen(program, context);
  addCompletion(program, context);
  return program;
}

/** Runs one command and returns the exit code. With `--json` a failure is one JSON value too. */
export async function run(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const ending: Ending = { code: exitCodes.done };
  const program = buildProgram(terminal, ending);
  let complaint = '';
  const output = {
    getOutHelpWidth: () => terminal.columns ?? 100,
    getErrHelpWidth: () => terminal.columns ?? 100,
    writeOut: (text: string) => terminal.print(text.trimEnd()),
    writeErr: (text: string) => {
      complaint += text;
    },
  };
  for (const command of listCommands(program)) {
    command.configureOutput(output).configureHelp({ optionDescription }).exitOverride();
    if (command !== program) command.showHelpAfterError('(--help shows how it is used)');
  }
  try {
    await program.parseAsync(words, { from: 'user' });
    return ending.code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    if (terminal.stopped.aborted) return exitCodes.stopped;
    const { exitCode, message, lines, facts } = explainError(error, findService(terminal, program));
    if (asksForJson(words)) printJson(terminal, { error: facts }, 2);
    else if (error instanceof CommanderError) terminal.printError(complaint.trimEnd() || message);
    else
      terminal.printError(
        [
          `${paint(terminal, 'red', 'error:')} ${plain(message)}`,
          ...lines.map((line) => `  ${plain(line)}`),
        ].join('\n'),
      );
    return exitCode;
  }
}

/** Also if an option before it is wrong. The words after `--` are arguments. */
function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? words.length : end).includes('--json');
}

/** Without the empty default list of an option that can be given several times. */
function optionDescription(option: Option): string {
  const shown: Option = Array.isArray(option.defaultValue)
    ? Object.create(option, { defaultValue: { value: undefined } })
    : option;
  return new Help().optionDescription(shown);
}

/** The service's address, if known. */
function findService({ env }: Terminal, program: Command): string | undefined {
  const { url } = program.opts<{ url?: string }>();
  try {
    return readSettings(env, { ...(url && { baseUrl: url }), apiKey: 'any' }).baseUrl;
  } catch {
    return undefined;
  }
}

function listCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(listCommands)];
}
