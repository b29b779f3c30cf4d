import type { Command } from 'commander';
import type { AgreementsClient } from '../agreementsClient.ts';
import type { ExitCode } from './cliError.ts';
import { openClient, readSettings, type Settings } from './settings.ts';
import type { Terminal } from './terminal.ts';

/** What a command says: for programs as a value, for people as text. */
export type Answer = { readonly value: unknown; readonly text: string };

/** What every command works with. */
export type Context = {
  readonly terminal: Terminal;
  /** Whether programs read the output. */
  asJson(): boolean;
  /** @throws CliError where no service or key is known. */
  client(): AgreementsClient;
  settings(): Settings;
  answer(answer: Answer): void;
  /** One of many answers: a line of JSON, or a line for people. */
  stream(answer: Answer): void;
  /** Ends the program with this code, though there is nothing more to say. */
  endWith(code: ExitCode): void;
};

/** How a command that has said all ends. */
export type Ending = { code: ExitCode };

/** Reads the options that every command shares from the root of the program. */
export function createContext(terminal: Terminal, program: Command, ending: Ending): Context {
  const options = () => program.opts<{ json?: boolean; url?: string; apiKey?: string }>();
  const asJson = () => options().json === true;
  const settings = () => {
    const { url, apiKey } = options();
    return readSettings(terminal.env, { ...(url && { baseUrl: url }), ...(apiKey && { apiKey }) });
  };
  return {
    terminal,
    asJson,
    settings,
    client: () => openClient(settings()),
    answer: ({ value, text }) => terminal.print(asJson() ? JSON.stringify(value, null, 2) : text),
    endWith: (code) => {
      ending.code = code;
    },
    stream: ({ value, text }) => terminal.print(asJson() ? JSON.stringify(value) : text),
  };
}

/** For an option that can be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
