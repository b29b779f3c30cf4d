import { showCode, showUnseen } from '../../../src/protocol/showUnseen.ts';

/** The program's input and output: the process, or a test. */
export type Terminal = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Characters per line; undefined if there is no limit. */
  readonly columns: number | undefined;
  readonly colours: boolean;
  /** Whether a person's terminal shows the output, rather than a file or a program reading it. */
  readonly isScreen: boolean;
  print(text: string): void;
  printError(text: string): void;
  /** All of standard input; a person is prompted, for example for `the JSON`. */
  readInput(wanted: string): Promise<string>;
  /** The same for a secret: at a terminal one line, which is not shown. */
  readSecret(wanted: string): Promise<string>;
  /** Aborted when the program is asked to stop. */
  readonly stopped: AbortSignal;
};

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;
export type Colour = keyof typeof codes;

export function paint({ colours }: Pick<Terminal, 'colours'>, colour: Colour, text: string): string {
  const [on, off] = codes[colour];
  return colours ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}

/**
 * JSON that a terminal shows as it is, and of which no reader of lines breaks a line in two: JSON leaves DEL, the
 * C1 control characters, U+2028 and U+2029 unescaped.
 */
export function writeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, escapeCode);
}

function escapeCode(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const unseenInJson = /(?![\n\r\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * JSON by others for a terminal, with escapes for the characters that it obeys or does not show. It has the same value:
 * none of them stands outside of a string, but for the carriage returns that become line breaks.
 */
export function plainJson(json: string): string {
  return json
    .replaceAll(/\r(?!\n)/g, '\n')
    .replaceAll(unseenInJson, (character) => character.split('').map(escapeCode).join(''));
}

/** Prints a value as JSON. A person's terminal shows its hidden characters; a program gets the same value. */
export function printJson(
  terminal: Pick<Terminal, 'isScreen' | 'print'>,
  value: unknown,
  indent?: number,
): void {
  const json = writeJson(value, indent);
  terminal.print(terminal.isScreen ? plainJson(json) : json);
}

/**
 * What `showUnseen` leaves to a page and a terminal must not get: a carriage return within a line, after which the rest
 * overwrites the beginning, and invisible characters. Joiners stay after letters and emoji, whose form they change.
 */
const unseenInLines =
  /\r(?!\n)|[\u00ad\u180e\u200b]|\u034f|(?<![\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]|[^\P{L}\p{Script=Latin}])[\u200c\u200d]/gu;

/**
 * Several lines, with each character that a terminal obeys, or that reorders or hides, by its number: `⟨U+202E⟩`.
 */
export function plainLines(text: string): string {
  return showUnseen(text).replaceAll(unseenInLines, showCode);
}

/**
 * One line, without terminal control characters and without characters that hide or reorder others: texts come
 * from others.
 */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
}
