import type { Command } from 'commander';
import { listPlaces, type Place } from './listPlaces.ts';

/**
 * A completion script for bash, which zsh can read too. It walks the words before the cursor, because the
 * value of an option may be called like a command. The shell gives parts around `=` and `:` as words of their
 * own.
 */
export function writeBash(program: Command, shell: 'bash' | 'zsh'): string {
  const places = listPlaces(program);
  const head = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
  return `${head}_agreements_at() {
  case "$1" in
${places.map(writePlace).join('\n')}
    *) return 1 ;;
  esac
}
_agreements_values() {
  case "$1" in
${places.flatMap(writeValues).join('\n')}
  esac
}
_agreements() {
  local word path='' next words='' options='' takers='' taker='' joined='' current="\${COMP_WORDS[COMP_CWORD]}"
  _agreements_at ''
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$word" in [=:]*) joined=1; continue ;; esac
    if [ -n "$joined$taker" ]; then joined='' taker=''; continue; fi
    case "$word" in
      -*) case " $takers " in *" $word "*) taker="$word" ;; esac ;;
      *) next="\${path:+$path }$word"; if _agreements_at "$next"; then path="$next"; fi ;;
    esac
  done
  case "$current" in [=:]*) joined=1 current='' ;; esac
  if [ -n "$joined$taker" ]; then words="$(_agreements_values "$path $taker")"
  else case "$current" in -*) words="$options" ;; esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _agreements agreements`;
}

function writePlace({ path, words, options }: Place): string {
  const list = (names: readonly string[]) => `'${names.join(' ')}'`;
  const takers = options.filter(({ values }) => values !== undefined);
  const [own, all, taking] = [words, options, takers].map((items) => list(items.map(({ name }) => name)));
  return `    '${path}') words=${own} options=${all} takers=${taking} ;;`;
}

function writeValues({ path, options }: Place): string[] {
  return options.flatMap(({ name, values = [] }) =>
    values.length > 0 ? [`    '${path} ${name}') echo '${values.join(' ')}' ;;`] : [],
  );
}
