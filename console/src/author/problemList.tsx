import { texts } from '../texts/texts.ts';
import type { Problem } from './useDocument.ts';

const words = texts.author;

type ProblemListProps = { readonly problems: readonly Problem[]; readonly onGo: (problem: Problem) => void };

/** Errors and warnings; each links to its place. */
export function ProblemList({ problems, onGo }: ProblemListProps) {
  return (
    <ul class="problems" id="problems">
      {problems.map((problem, at) => (
        <li key={`${at} ${problem.path}`}>
          <span class={problem.kind === 'error' ? 'tag bad' : 'tag warn'}>{words[problem.kind]}</span>
          <button type="button" onClick={() => onGo(problem)}>
            <span class="soft">{words.line(problem.line)}</span>{' '}
            {problem.path !== '' && <code dir="auto">{problem.path}</code>}{' '}
            <span dir="auto">{problem.message}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
