import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { Failure } from '../parts/failure.tsx';
import { Hex } from '../parts/hex.tsx';
import { Loading } from '../parts/loading.tsx';
import { More } from '../parts/more.tsx';
import { Time } from '../parts/time.tsx';
import type { Next } from '../service/useNext.ts';
import { texts } from '../texts/texts.ts';
import { describeField, findParty } from './naming.ts';
import type { Mined, Shown, ShownInput } from './source.ts';

const words = texts.agreement;

type TimelineProps = {
  readonly shown: Shown;
  readonly rows: readonly ShownInput[] | undefined;
  readonly error: unknown;
  readonly total: number | undefined;
  readonly onRetry: () => void;
  readonly next: Next | undefined;
  readonly nameOf: (inputId: string) => string;
};

/** The inputs, newest first, down to the deployment. */
export function Timeline({ shown, rows, error, total, onRetry, next, nameOf }: TimelineProps) {
  return (
    <section class="timeline-panel">
      <div class="section-head">
        <h2>{words.timeline}</h2>
        {total !== undefined && total > 0 && <span class="soft small">{total.toLocaleString()}</span>}
      </div>
      {error ? <Failure error={error} onRetry={onRetry} /> : null}
      {!rows && !error && <Loading lines={6} />}
      <ol class="timeline">
        {rows?.map((input) => (
          <Entry key={input.id} shown={shown} input={input} name={nameOf(input.inputId)} />
        ))}
        {rows && !next && shown.status === 'Deployed' && (
          <li>
            <div class="what">
              <strong>{words.deployment}</strong>
              {shown.owner && <Who shown={shown} wallet={shown.owner} />}
              {shown.deployedAt !== undefined && (
                <span class="soft small">
                  <Time at={shown.deployedAt} />
                </span>
              )}
            </div>
            <Transaction {...shown.deployment} chainId={shown.chainId} />
          </li>
        )}
      </ol>
      {rows?.length === 0 && <p class="soft small">{words.timelineEmpty}</p>}
      <More next={next} />
    </section>
  );
}

type EntryProps = { readonly shown: Shown; readonly input: ShownInput; readonly name: string };

function Entry({ shown, input, name }: EntryProps) {
  const { status, signer, submitter, fromState, toState, txHash, blockNumber, error, createdAt } = input;
  const values = Object.entries(input.values);
  return (
    <li class={status === 'MINED' ? undefined : status.toLowerCase()}>
      <div class="what">
        <strong dir="auto">{name}</strong>
        {(signer ?? submitter) && <Who shown={shown} wallet={signer ?? submitter ?? ''} />}
        <span class="soft small">
          <Time at={createdAt} />
        </span>
        {status === 'PENDING' && <span class="tag now">{words.pending}</span>}
        {status === 'FAILED' && <span class="tag bad">{words.failed}</span>}
      </div>
      {fromState !== undefined && toState !== undefined && (
        <div class="small" dir="auto">
          {showUnseen(fromState)} → {showUnseen(toState)}
        </div>
      )}
      {error && (
        <p class="small" dir="auto">
          {texts.reasons[error.reason] ?? ''} {error.message}
        </p>
      )}
      {values.length > 0 && (
        <dl class="facts small">
          {values.map(([field, value]) => [
            <dt key={field} dir="auto">
              {describeField(shown.json, input.inputId, field).name}
            </dt>,
            <dd key={`${field} value`} dir="auto">
              {writeValue(value)}
            </dd>,
          ])}
        </dl>
      )}
      <Transaction txHash={txHash} blockNumber={blockNumber} chainId={shown.chainId} />
    </li>
  );
}

function Transaction({ txHash, blockNumber, chainId }: Mined & { readonly chainId: number }) {
  if (!txHash) return null;
  return (
    <div class="small soft">
      {words.transaction} <Hex value={txHash} chainId={chainId} kind="tx" />
      {blockNumber !== undefined && ` · ${words.block} ${blockNumber.toLocaleString()}`}
    </div>
  );
}

function Who({ shown, wallet }: { readonly shown: Shown; readonly wallet: string }) {
  const party = findParty(shown, wallet);
  return (
    <span>
      {party !== undefined && <span dir="auto">{party}</span>}{' '}
      <span class="soft">
        <Hex value={wallet} chainId={shown.chainId} />
      </span>
    </span>
  );
}

const longestValue = 2_000;

/** A value as text, cut after so many characters. */
export function writeValue(value: unknown, longest = longestValue): string {
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return showUnseen(text.length > longest ? `${text.slice(0, longest)}…` : text);
}
