/** Where the program reads from and writes to: the process, or a test. */
export type Terminal = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Characters of a line; undefined where nobody looks. */
  readonly columns: number | undefined;
  readonly colours: boolean;
  print(text: string): void;
  printError(text: string): void;
  /** All of the standard input; a person is asked for what is wanted, such as `the API key`. */
  readInput(wanted: string): Promise<string>;
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

/** Without what a terminal would obey: texts come from others. */
export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}
