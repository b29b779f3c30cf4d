import type { Command } from 'commander';
import { listPlaces, type Place } from './listPlaces.ts';

/**
 * A completion script for fish. A function of its own finds the command, because the value of an option may be
 * called like a command, and two commands may have parts of the same name.
 */
export function writeFish(program: Command): string {
  const places = listPlaces(program);
  const paths = places.map(({ path }) => quote(path)).join(' ');
  const takers = places.flatMap(({ path, options }) =>
    options.flatMap(({ name, values }) => (values ? [quote(`${path} ${name}`)] : [])),
  );
  return `function __agreements_at
    set -l path ''
    set -l taker ''
    for word in (commandline -opc)[2..]
        if test -n "$taker"
            set taker ''
        else if string match -q -- '-*' $word
            contains -- "$path $word" ${takers.join(' ')}; and set taker $word
        else
            set -l next (string trim -- "$path $word")
            contains -- "$next" ${paths}; and set path $next
        end
    end
    test "$path" = "$argv[1]"
end
${places.flatMap(writePlace).join('\n')}`;
}

function writePlace({ path, words, options }: Place): string[] {
  const here = `complete -c agreements -n ${quote(`__agreements_at ${quote(path)}`)}`;
  return [
    ...words.map(({ name, about }) => `${here} -f -a ${name}${about === '' ? '' : ` -d ${quote(about)}`}`),
    ...options.map(({ name, values }) => {
      const long = `${here} -l ${name.slice(2)}`;
      if (values === undefined) return long;
      return values.length > 0 ? `${long} -x -a ${quote(values.join(' '))}` : `${long} -r`;
    }),
  ];
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
