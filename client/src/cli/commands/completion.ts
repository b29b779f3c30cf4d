import { Argument, type Command } from 'commander';
import type { Context } from '../context.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** Completion of commands and options, as a script for a shell. */
export function addCompletion(program: Command, context: Context): void {
  program
    .command('completion')
    .description('print a script that lets a shell complete commands and options')
    .addArgument(new Argument('<shell>', 'which one').choices(shells))
    .addHelpText(
      'after',
      '\nExamples:\n  source <(agreements completion bash)\n  agreements completion fish | source',
    )
    .action((shell: (typeof shells)[number]) => {
      const text = shell === 'fish' ? writeFish(program) : writeBash(program, shell);
      context.answer({ value: { shell, script: text }, text });
    });
}

/** The possible words after each command. */
function listWords(command: Command, path: readonly string[] = []): Map<string, string[]> {
  const options = [...command.options, ...(command.parent?.options ?? [])].flatMap(({ long }) =>
    long ? [long] : [],
  );
  const words = [...command.commands.map((child) => child.name()), ...options, '--help'];
  const own: [string, string[]] = [path.join(' '), words];
  return new Map([
    own,
    ...command.commands.flatMap((child) => [...listWords(child, [...path, child.name()])]),
  ]);
}

function writeBash(program: Command, shell: 'bash' | 'zsh'): string {
  const cases = [...listWords(program)].map(
    ([path, words]) => `    '${path}') words='${words.join(' ')}' ;;`,
  );
  const head = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
  return `${head}_agreements() {
  local words='' path='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  while :; do
    case "$path" in
${cases.join('\n')}
    esac
    [ -n "$words" ] && break
    case "$path" in *" "*) path="\${path% *}" ;; *) path='' ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _agreements agreements`;
}

function writeFish(program: Command): string {
  const lines = program.commands.flatMap((command) => {
    const seen = `__fish_seen_subcommand_from ${command.name()}`;
    const about = command.description().replaceAll("'", "\\'");
    return [
      `complete -c agreements -n __fish_use_subcommand -f -a ${command.name()} -d '${about}'`,
      ...command.commands.map((child) => `complete -c agreements -n '${seen}' -f -a ${child.name()}`),
      ...command.options.flatMap(({ long }) =>
        long ? [`complete -c agreements -n '${seen}' -l ${long.slice(2)}`] : [],
      ),
    ];
  });
  const shared = program.options.flatMap(({ long }) =>
    long ? [`complete -c agreements -l ${long.slice(2)}`] : [],
  );
  return [...lines, ...shared].join('\n');
}
