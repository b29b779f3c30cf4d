import type { TemplateReport } from '../../../client/src/types.ts';
import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';

const words = texts.author.analysis;
type Analysis = TemplateReport['analysis'];
type Finding = Analysis['finalStates'][number];

/** What the document as a whole can and cannot do. */
export function AnalysisView({ analysis }: { readonly analysis: Analysis }) {
  const faults = [
    [words.endless, analysis.endlessStates],
    [words.unsendable, analysis.unsendableInputs],
    [words.unset, analysis.unsetVariables],
    [words.contradictory, analysis.contradictoryBounds],
    [words.shadowed, analysis.shadowedTransitions],
  ] as const;
  const found = faults.filter(([, findings]) => findings.length > 0);
  return (
    <div class="stack">
      {analysis.stoppedAt !== null && <Note kind="warn">{words.partial}</Note>}
      {found.length === 0 && <Note kind="good">{words.sound}</Note>}
      {found.map(([title, findings]) => (
        <section key={title}>
          <h3>{title}</h3>
          <ul class="choices">
            {findings.map((finding) => (
              <FindingLine key={`${finding.path} ${finding.state} ${finding.inputId}`} finding={finding} />
            ))}
          </ul>
        </section>
      ))}
      <dl class="facts">
        <dt>{words.reachable}</dt>
        <dd dir="auto">{namesOf(analysis.reachableStates)}</dd>
        <dt>{words.final}</dt>
        <dd dir="auto">{namesOf(analysis.finalStates)}</dd>
      </dl>
    </div>
  );
}

function FindingLine({ finding }: { readonly finding: Finding }) {
  const { state, inputId, variable, message, example, path } = finding;
  const subject = [inputId, variable, state].filter((each) => each !== undefined).join(' · ');
  return (
    <li>
      <div>
        <strong dir="auto">{subject || path}</strong> {message && <span dir="auto">{message}</span>}
        {example && (
          <div class="small soft" dir="auto">
            {words.example} {example.length === 0 ? words.atOnce : example.join(' → ')}
          </div>
        )}
      </div>
    </li>
  );
}

function namesOf(findings: readonly Finding[]): string {
  return findings.map(({ state, path }) => state ?? path).join(', ') || words.none;
}
