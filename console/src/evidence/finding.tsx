import { useState } from 'preact/hooks';
import {
  type EvidenceAct,
  type EvidenceFinding,
  type EvidenceVerdict,
  isSigned,
  type RefusedEvidence,
  writeTime,
} from '../../../client/src/verify/index.ts';
import { Button } from '../parts/button.tsx';
import { texts } from '../texts/texts.ts';
import { writeChecksum } from '../wallet/writeChecksum.ts';
import { readTrustedHashes } from './checkFile.ts';

const words = texts.evidence;
const stepsShown = 100;

type OutcomeProps = {
  readonly fileName: string;
  readonly verdict: EvidenceVerdict;
  /** Checks the same file again, with hashes that the reader trusts. */
  readonly again: (hashes: string) => void;
};

/** What a file proves, or why it proves nothing, for readers who are not engineers. */
export function Outcome({ fileName, verdict, again }: OutcomeProps) {
  return verdict.ok ? (
    <Finding fileName={fileName} finding={verdict} again={again} />
  ) : (
    <Refusal fileName={fileName} refusal={verdict} />
  );
}

/** The outcome in a few words, for readers who do not see it appear. */
export function nameOutcome(verdict: EvidenceVerdict): string {
  return verdict.ok ? describeLevel(verdict).title : `${words.refused}: ${words.refusedTitle}`;
}

function describeLevel({ level, acts }: EvidenceFinding) {
  return words.levels[level === 'anchored' && !isSigned(acts) ? 'anchoredOnly' : level];
}

type FindingProps = {
  readonly fileName: string;
  readonly finding: EvidenceFinding;
  readonly again: (hashes: string) => void;
};

function Finding({ fileName, finding, again }: FindingProps) {
  const { name, chain, agreement, acts, level, established, trusted, notShown, made } = finding;
  const { title, meaning } = describeLevel(finding);
  const [shown, setShown] = useState(stepsShown);
  return (
    <div class="finding">
      <section class={`verdict ${level}`} aria-label={words.result}>
        <p class="mark">{title}</p>
        <h2 dir="auto">{name}</h2>
        <p>{meaning}</p>
        <p class="soft small">
          {words.state} <strong dir="auto">{agreement.state}</strong> {words.onChain(chain.name)}{' '}
          {words.file(fileName, made.at.slice(0, 10))} “<bdi>{made.by}</bdi>”. {words.unchecked}
        </p>
      </section>
      <section>
        <h2>{words.acts}</h2>
        <ol class="acts">
          {acts.slice(0, shown).map((act) => (
            <Act key={act.position} act={act} />
          ))}
        </ol>
        {acts.length > shown && (
          <>
            <Button onPress={() => setShown(shown + 10 * stepsShown)}>{words.moreActs(acts.length)}</Button>
            <p class="printed">{words.unprinted(acts.length - shown)}</p>
          </>
        )}
      </section>
      <List title={words.established} items={established} />
      <List title={words.trusted} items={trusted} />
      <List title={words.notShown} items={notShown} />
      <Anchors finding={finding} again={again} />
      <section>
        <h2>{words.text}</h2>
        <p class="soft small">
          {words.hash} <code class="copy">{agreement.docHash}</code>, {words.contract}{' '}
          <code class="copy">{writeChecksum(agreement.address)}</code>
        </p>
        <details>
          <summary>{words.showText}</summary>
          <pre class="panel" dir="auto">
            {finding.document}
          </pre>
        </details>
      </section>
    </div>
  );
}

/** Whether the reason fits any file that is no evidence. */
const isOtherFile = (reason: RefusedEvidence['reason']) => reason === 'not_json' || reason === 'bad_format';

function Refusal({ fileName, refusal }: { readonly fileName: string; readonly refusal: RefusedEvidence }) {
  const { reason, path, message } = refusal;
  return (
    <div class="finding">
      <section class="verdict refused" aria-label={words.result}>
        <p class="mark">{words.refused}</p>
        <h2>{words.refusedTitle}</h2>
        <p>
          <bdi>{message}</bdi>
        </p>
        <p class="soft small">{isOtherFile(reason) ? words.otherFileHint : words.refusedHint}</p>
        <p class="soft small">
          {words.reason} {words.reasons[reason]} (<code>{reason}</code>)
          {path !== '' && (
            <>
              {words.reasonPlace} <code>{path}</code>
            </>
          )}
          {words.reasonPlace} {fileName}
        </p>
      </section>
    </div>
  );
}

function Act({ act }: { readonly act: EvidenceAct }) {
  const { actor, roles, by, input, values, ignored, toState, time, blockNumber } = act;
  return (
    <li>
      <p>
        <strong dir="auto">{input ?? words.deployed}</strong> <span class="soft">{words.ledTo}</span>{' '}
        <strong dir="auto">{toState}</strong>
      </p>
      <p class="soft small">
        {actor === null ? words.somebody : <code class="copy">{writeChecksum(actor)}</code>}
        {actor !== null && roles.length > 0 && <Roles roles={roles} />}: {words.signedBy[by]}.{' '}
        {words.actTime(writeTime(time), blockNumber)}
      </p>
      {values.length > 0 && (
        <dl class="facts small">
          {values.map(({ name, value }) => [
            <dt key={name} dir="auto">
              {name}
            </dt>,
            <dd key={`${name} value`} dir="auto">
              {value === null ? words.notReadable : String(value)}
            </dd>,
          ])}
        </dl>
      )}
      {ignored > 0 && <p class="soft small">{words.ignored(ignored)}</p>}
    </li>
  );
}

/** The document's names for an account, beside its address. */
function Roles({ roles }: Pick<EvidenceAct, 'roles'>) {
  const names = [...new Set(roles)];
  return (
    <>
      {` (${words.inText} `}
      {names.map((name, at) => (
        <span key={name}>
          “<bdi>{name}</bdi>”{at < names.length - 1 && ', '}
        </span>
      ))}
      {')'}
    </>
  );
}

function List({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  return (
    <section>
      <h2>{title}</h2>
      <ul class="bullets">
        {items.map((item) => (
          <li key={item}>
            <bdi>{item}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}

type AnchorsProps = Pick<FindingProps, 'finding' | 'again'>;

/** The blocks, and fields for hashes from other sources. */
function Anchors({ finding, again }: AnchorsProps) {
  const [text, setText] = useState('');
  const isReadable = readTrustedHashes(text) !== undefined;
  return (
    <section>
      <h2>{words.blocks}</h2>
      <p>{words.blocksLead(finding.chain.name)}</p>
      <details>
        <summary>{words.blockCount(finding.blocks.length)}</summary>
        <ul class="bullets small">
          {finding.blocks.map(({ number, hash, isAnchored }) => (
            <li key={number}>
              {number} <code class="copy">{hash}</code> {isAnchored && words.confirmed}
            </li>
          ))}
        </ul>
      </details>
      <label class="field">
        {words.hashes}
        <textarea
          class="input mono"
          rows={3}
          value={text}
          aria-invalid={!isReadable}
          onInput={(event) => setText(event.currentTarget.value)}
          placeholder={words.hashesExample}
        />
      </label>
      {!isReadable && <p class="fault">{words.hashesFault}</p>}
      <p>
        <Button disabled={!isReadable || text.trim() === ''} onPress={() => again(text)}>
          {words.again}
        </Button>
      </p>
    </section>
  );
}
