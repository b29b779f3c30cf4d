import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Hex } from '../parts/hex.tsx';
import { Note } from '../parts/note.tsx';
import { queries } from '../service/queries.ts';
import { useSettings } from '../service/settings.ts';
import { texts } from '../texts/texts.ts';
import { countConfirmations } from './countConfirmations.ts';
import type { AgreementSource, ShownInput } from './source.ts';

const words = texts.act;
/** Until it is mined. */
const lookMs = 1_000;
/** While later blocks confirm it; and afterwards, because a reorg may still undo it. */
const slowLookMs = 4_000;
const patienceMs = 20_000;

type ProgressProps = {
  readonly source: AgreementSource;
  readonly sent: ShownInput;
  readonly chainId: number;
};

type Followed = { readonly input: ShownInput; readonly headBlock: number | null };

/** The progress of a sent input: mined, and then confirmed by later blocks. */
export function Progress({ source, sent, chainId }: ProgressProps) {
  const settings = useSettings();
  const confirmations = settings.data?.chains.find((chain) => chain.chainId === chainId)?.confirmations ?? 1;
  const key = ['progress', ...source.key, sent.id];
  const followed = useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<Followed> => {
      const [{ data }, state] = await Promise.all([
        source.listInputs(undefined, signal),
        source.getState(signal),
      ]);
      const input = data.find(({ id }) => id === sent.id) ?? sent;
      const known = queries.getQueryData<Followed>(key)?.input ?? sent;
      if (input.status !== known.status) void queries.invalidateQueries({ queryKey: source.key });
      return { input, headBlock: state.headBlockNumber };
    },
    refetchInterval: ({ state: { data } }) => pauseAfter(data?.input ?? sent),
  });
  const [since] = useState(Date.now);
  const { input = sent, headBlock = null } = followed.data ?? {};
  const lookedAt = Math.max(followed.dataUpdatedAt, followed.errorUpdatedAt);
  const isMined = input.status === 'MINED';
  const isConfirmed = isMined && countConfirmations(input, headBlock) >= confirmations;
  const steps = [
    { name: words.steps.signed, isDone: true },
    { name: words.steps.sent, isDone: input.txHash !== null },
    { name: words.steps.mined, isDone: isMined },
    { name: words.steps.confirmed, isDone: isConfirmed },
  ];
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <div class="stack" role="status">
      <ol class="steps" aria-label={words.stepsLabel}>
        {steps.map(({ name, isDone }, at) => (
          <li
            key={name}
            class={isDone ? 'done' : at === next && input.status !== 'FAILED' ? 'busy' : undefined}
          >
            {isDone && <span aria-hidden="true">✓ </span>}
            {name}
            {(isDone || input.status !== 'FAILED') && (
              <span class="hidden"> {isDone ? words.stepDone : words.stepOpen}</span>
            )}
          </li>
        ))}
      </ol>
      {input.txHash && (
        <p class="small">
          <Hex value={input.txHash} chainId={chainId} kind="tx" />{' '}
          {input.blockNumber !== undefined && words.inBlock(input.blockNumber)}
        </p>
      )}
      {input.status === 'PENDING' && lookedAt - since > patienceMs && (
        <Note kind="warn">{words.stillWaiting}</Note>
      )}
      {isMined && input.toState !== undefined && <Note kind="good">{words.movedTo(input.toState)}</Note>}
      {input.status === 'FAILED' && (
        <Note kind="bad">
          <p>{words.failed}</p>
          <p dir="auto">
            {texts.reasons[input.error?.reason ?? ''] ?? ''} {input.error?.message}
          </p>
        </Note>
      )}
    </div>
  );
}

function pauseAfter({ status }: ShownInput): number | false {
  if (status === 'FAILED') return false;
  return status === 'MINED' ? slowLookMs : lookMs;
}
