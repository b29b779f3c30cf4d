import { useMemo, useRef, useState } from 'preact/hooks';
import { AnalysisView } from '../author/analysisView.tsx';
import { DeployForm } from '../author/deployForm.tsx';
import { Editor } from '../author/editor.tsx';
import { exampleDocument } from '../author/exampleDocument.ts';
import { ProblemList } from '../author/problemList.tsx';
import { Simulator } from '../author/simulator.tsx';
import { useDocument } from '../author/useDocument.ts';
import { StateDiagram } from '../diagram/stateDiagram.tsx';
import { readGraph } from '../diagram/stateGraph.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Note } from '../parts/note.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useTitle } from '../parts/title.ts';
import { TitledPage } from '../parts/titledPage.tsx';
import { useMay } from '../service/queries.ts';
import { texts } from '../texts/texts.ts';

const words = texts.author;
type Tab = keyof typeof words.tabs;

/** Write a document, check it, try it, deploy it. All but the writing takes the permission to deploy. */
export function AuthorPage() {
  useTitle(words.title);
  if (useMay('agreements.write')) return <Workshop />;
  return (
    <TitledPage title={words.title}>
      <Note kind="bad">{words.mayNotWrite}</Note>
    </TitledPage>
  );
}

function Workshop() {
  const { text, write, json, problems, report, isChecking, error } = useDocument();
  const [tab, setTab] = useState<Tab>('problems');
  const [place, setPlace] = useState<{ offset: number }>();
  const file = useRef<HTMLInputElement>(null);
  const graph = useMemo(() => readGraph(json), [json]);
  const errors = problems.filter(({ kind }) => kind === 'error').length;
  const isSound = report !== undefined && errors === 0;
  const summary = isChecking
    ? words.checking
    : problems.length > 0
      ? words.problemCount(errors, problems.length - errors)
      : isSound
        ? words.sound
        : '';
  const open = async (chosen: File | undefined) => chosen && write(await chosen.text());
  return (
    <>
      <div class="page-head">
        <h1>{words.title}</h1>
        <span class="row">
          <input
            ref={file}
            type="file"
            hidden
            accept="application/json,.json"
            onChange={(event) => void open(event.currentTarget.files?.[0])}
          />
          <Button kind="plain" onPress={() => file.current?.click()}>
            {words.open}
          </Button>
          <Button kind="plain" onPress={() => write(JSON.stringify(exampleDocument, null, 2))}>
            {words.example}
          </Button>
        </span>
      </div>
      <p class="lead">{words.lead}</p>
      <div class="columns even">
        <div class="stack">
          <Editor text={text} onWrite={write} problems={problems} place={place} />
          <p role="status" class={errors > 0 ? 'tag bad' : isSound && !isChecking ? 'tag good' : 'tag'}>
            {summary || (text.trim() === '' ? words.nothing : words.unchecked)}
          </p>
        </div>
        <div>
          <Tabs label={words.tabsLabel} names={words.tabs} chosen={tab} onChoose={setTab}>
            {error !== undefined && <Failure error={error} />}
            {tab === 'problems' &&
              (problems.length > 0 ? (
                <ProblemList problems={problems} onGo={({ offset }) => setPlace({ offset })} />
              ) : (
                <p class="soft" id="problems">
                  {isSound ? words.noProblems : text.trim() === '' ? words.nothing : ''}
                </p>
              ))}
            {tab === 'diagram' && json && <StateDiagram graph={graph} />}
            {tab === 'analysis' && report && <AnalysisView analysis={report.analysis} />}
            {tab === 'simulate' && json && isSound && <Simulator json={json} />}
            {tab === 'deploy' && json && isSound && <DeployForm json={json} />}
            {tab !== 'problems' && tab !== 'diagram' && !isSound && <Note>{words.notReady}</Note>}
          </Tabs>
        </div>
      </div>
    </>
  );
}
