import { texts } from '../texts/texts.ts';
import type { Graph, Standing } from './stateGraph.ts';

const words = texts.diagram;

type StateTableProps = {
  readonly graph: Graph;
  readonly standing?: Standing | undefined;
  readonly possible?: ReadonlyMap<string, string> | undefined;
};

/** The diagram's content in words. */
export function StateTable({ graph, standing, possible }: StateTableProps) {
  return (
    <div class="scroll">
      <table class="folding">
        <caption class="hidden">{words.title}</caption>
        <thead>
          <tr>
            <th scope="col">{words.state}</th>
            <th scope="col">{words.meaning}</th>
            <th scope="col">{words.leads}</th>
          </tr>
        </thead>
        <tbody>
          {graph.states.map(({ id, description }) => {
            const ways = graph.ways.filter(({ from }) => from === id);
            const isCurrent = id === standing?.current;
            return (
              <tr key={id} aria-current={isCurrent ? 'true' : undefined}>
                <td data-label={words.state}>
                  <div class="stack">
                    <span class={isCurrent ? 'tag now' : 'tag'} dir="auto">
                      {id}
                    </span>
                    <span class="small soft">
                      {isCurrent
                        ? words.current
                        : standing?.visited.has(id)
                          ? words.passed
                          : id === graph.initial
                            ? words.initial
                            : ''}
                    </span>
                  </div>
                </td>
                <td data-label={words.meaning} dir="auto">
                  {description ?? '–'}
                </td>
                <td data-label={words.leads}>
                  {ways.length === 0 && <span class="soft">{words.end}</span>}
                  <ul>
                    {ways.flatMap(({ to, inputs }) =>
                      inputs.map((input) => (
                        <li key={`${to} ${input}`} dir="auto">
                          {graph.nameOf(input)} → {to}
                          {isCurrent && possible?.has(input) && (
                            <span class="small soft"> ({possible.get(input)})</span>
                          )}
                        </li>
                      )),
                    )}
                  </ul>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
