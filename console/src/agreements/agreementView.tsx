import { useInfiniteQuery, useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { StateDiagram } from '../diagram/stateDiagram.tsx';
import { findStanding, readGraph } from '../diagram/stateGraph.ts';
import { EvidencePanel } from '../evidence/evidencePanel.tsx';
import { Failure } from '../parts/failure.tsx';
import { Hex } from '../parts/hex.tsx';
import { useKeptFocus } from '../parts/keptFocus.ts';
import { Loading } from '../parts/loading.tsx';
import { Note } from '../parts/note.tsx';
import { useTitle } from '../parts/title.ts';
import { TitledPage } from '../parts/titledPage.tsx';
import { lookAfter, mayPass } from '../service/pauses.ts';
import { chainName } from '../service/settings.ts';
import { useNext } from '../service/useNext.ts';
import { texts } from '../texts/texts.ts';
import { ActPanel } from './actPanel.tsx';
import { findOtherTitle } from './agreementName.ts';
import { DocumentText } from './documentText.tsx';
import { DraftPanel } from './draftPanel.tsx';
import { Facts } from './facts.tsx';
import { listUnsigned } from './listUnsigned.ts';
import { nameOfInput, writeIssuers } from './naming.ts';
import { orderInputs } from './orderInputs.ts';
import { OtherRules } from './otherRules.tsx';
import type { AgreementSource } from './source.ts';
import { Timeline } from './timeline.tsx';

const words = texts.agreement;
/** In addition to the stream of events, which is faster for principals. */
const lookMs = 4_000;
const noNames: ReadonlySet<string> = new Set();

type AgreementViewProps = {
  readonly source: AgreementSource;
  /** Shown below: panels only for users with a session. */
  readonly more?: ComponentChildren;
};

/** Everything about one agreement: its state, the possible inputs, its history, its text. */
export function AgreementView({ source, more }: AgreementViewProps) {
  const record = useQuery({
    queryKey: [...source.key, 'record'],
    queryFn: ({ signal }) => source.get(signal),
    refetchInterval: ({ state: { error } }) => (error ? lookAfter(lookMs, error) : 4 * lookMs),
  });
  const state = useQuery({
    queryKey: [...source.key, 'state'],
    queryFn: ({ signal }) => source.getState(signal),
    refetchInterval: ({ state: { error } }) => lookAfter(lookMs, error),
  });
  const inputsKey = [...source.key, 'inputs'];
  const inputs = useInfiniteQuery({
    queryKey: inputsKey,
    queryFn: ({ pageParam, signal }) => source.listInputs(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state: { data, error } }) =>
      (data?.pages.length ?? 0) > 4 ? false : lookAfter(lookMs, error),
  });
  const { error: inputsError, next } = useNext(inputsKey, inputs);
  const shown = record.data;
  useTitle(shown ? showUnseen(shown.displayName) : texts.shared.title);
  const json = shown?.json;
  const graph = useMemo(() => readGraph(json, (inputId) => nameOfInput(json, inputId)), [json]);
  const rows = inputs.data && orderInputs(inputs.data.pages.flatMap(({ data }) => data));
  const unsigned = useMemo(() => (shown ? listUnsigned(shown, rows ?? []) : noNames), [shown, inputs.data]);
  const current = state.data?.state ?? undefined;
  const standing = findStanding(
    current,
    graph.initial,
    (rows ?? []).filter(({ status }) => status === 'MINED'),
  );
  // A Draft's panel gives way to the possible inputs.
  const keptFocus = useKeptFocus([shown?.awaitsOwner]);
  if (!shown)
    return (
      <TitledPage title={texts.shared.title}>
        {record.error ? (
          <Failure error={record.error} onRetry={() => void record.refetch()} />
        ) : (
          <Loading lines={12} />
        )}
      </TitledPage>
    );
  const accepted = state.data?.acceptedInputs ?? [];
  const otherTitle = findOtherTitle(shown);
  const possible = new Map(accepted.map((input) => [input.inputId, words.by(writeIssuers(shown, input))]));
  return (
    <>
      <div class="page-head">
        <h1 dir="auto">{showUnseen(shown.displayName)}</h1>
        <span class="row">
          {current !== undefined && (
            <span class="tag now" dir="auto" title={state.data?.description}>
              {showUnseen(current)}
            </span>
          )}
          {shown.status === 'Draft' && <span class="tag warn">{words.draft}</span>}
          <span class="small soft">
            {chainName(shown.chainId)}{' '}
            {shown.address && <Hex value={shown.address} chainId={shown.chainId} />}
          </span>
        </span>
      </div>
      {otherTitle !== undefined && (
        <p class="lead" dir="auto">
          {words.calledByDocument(otherTitle)}
        </p>
      )}
      {state.data?.description && (
        <p class="lead" dir="auto">
          {showUnseen(state.data.description)}
        </p>
      )}
      {state.error && mayPass(state.error) && <Note kind="warn">{words.away}</Note>}
      <OtherRules shown={shown} />
      {shown.failure !== undefined && (
        <Note kind="bad">
          <p>{words.draftFailed}</p>
          <p dir="auto">{shown.failure}</p>
        </Note>
      )}
      <div class="columns agreement">
        <StateDiagram graph={graph} standing={standing} possible={possible} />
        <aside {...keptFocus}>
          {shown.awaitsOwner && source.deployDraft ? (
            <DraftPanel shown={shown} source={source} />
          ) : (
            <ActPanel shown={shown} source={source} accepted={accepted} isKnown={state.data !== undefined} />
          )}
          <Facts shown={shown} unsigned={unsigned} />
        </aside>
        <Timeline
          shown={shown}
          rows={rows}
          // Loaded data stay visible, and the note above says that they may be old.
          error={rows && mayPass(inputsError) ? undefined : inputsError}
          total={inputs.data?.pages[0]?.total}
          onRetry={() => void inputs.refetch()}
          next={next}
          nameOf={graph.nameOf}
        />
        <DocumentText shown={shown} unsigned={unsigned} />
      </div>
      {shown.status === 'Deployed' && <EvidencePanel shown={shown} source={source} />}
      {more}
    </>
  );
}
