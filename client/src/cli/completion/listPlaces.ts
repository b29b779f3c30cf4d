import type { Command, Option } from 'commander';

export type PlaceOption = {
  readonly name: string;
  /** The values to choose from; empty for any value, undefined for an option without one. */
  readonly values: readonly string[] | undefined;
};

/** A place on the command line, behind the names of a command: what can follow there. */
export type Place = {
  /** The names of the command, with a space between them; empty before the first. */
  readonly path: string;
  /** Names of commands, or the values of its argument, with their descriptions. */
  readonly words: readonly { readonly name: string; readonly about: string }[];
  /** Its own and the program's. */
  readonly options: readonly PlaceOption[];
};

/** Every place of a program. */
export function listPlaces(program: Command): Place[] {
  const shared = program.options.flatMap(describeOption);
  const list = (command: Command, path: readonly string[]): Place[] => {
    const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
    const own = command === program ? [] : command.options.flatMap(describeOption);
    const place = {
      path: path.join(' '),
      words: [
        ...command.commands.map((child) => ({ name: child.name(), about: child.description() })),
        ...choices.map((name) => ({ name, about: '' })),
      ],
      options: [...own, ...shared, { name: '--help', values: undefined }],
    };
    return [place, ...command.commands.flatMap((child) => list(child, [...path, child.name()]))];
  };
  return list(program, []);
}

function describeOption({ long, required, argChoices }: Option): PlaceOption[] {
  return long ? [{ name: long, values: required ? (argChoices ?? []) : undefined }] : [];
}
