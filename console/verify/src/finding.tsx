import { useState } from 'preact/hooks';
import { type EvidenceAct, type EvidenceFinding, writeTime } from '../../../client/src/verify/index.ts';
import { readTrustedHashes } from './checkFile.ts';

const levels = {
  none: ['Not proved', 'The signatures cannot be read, and nothing shows that the chain took these steps.'],
  signed: [
    'Signed',
    'The signatures are genuine. That the chain took these steps is not proved by the file.',
  ],
  included: [
    'Signed and included',
    'The signatures are genuine, and the steps stand in the blocks that are listed below.',
  ],
  anchored: [
    'Signed, included and anchored',
    'The signatures are genuine, and the steps stand in blocks that you trust.',
  ],
} as const;

const stepsShown = 100;

/** What a file establishes, for readers who are no engineers. */
export function Finding(props: {
  fileName: string;
  finding: EvidenceFinding;
  again: (hashes: string) => void;
}) {
  const { fileName, finding, again } = props;
  const { name, chain, agreement, acts, level, established, trusted, notShown, made } = finding;
  const [title, meaning] = levels[level];
  const [shown, setShown] = useState(stepsShown);
  return (
    <>
      <section class={`verdict ${level}`} aria-label="Result">
        <p class="mark">{title}</p>
        <h2>{name}</h2>
        <p>{meaning}</p>
        <p class="faint">
          State <strong>{agreement.state}</strong> on {chain.name}. File {fileName}, made{' '}
          {made.at.slice(0, 10)} by {made.by}.
        </p>
      </section>
      <section>
        <h2>Who signed what, and when</h2>
        <ol class="acts" start={0}>
          {acts.slice(0, shown).map((act) => (
            <Act key={act.position} act={act} />
          ))}
        </ol>
        {acts.length > shown && (
          <button type="button" onClick={() => setShown(shown + 10 * stepsShown)}>
            Show more of the {acts.length} steps
          </button>
        )}
      </section>
      <List title="What is established" items={established} />
      <List title="What is trusted" items={trusted} />
      <List title="What this does not show" items={notShown} />
      <Anchors finding={finding} again={again} />
      <section>
        <h2>The text</h2>
        <p class="faint">
          Hash <code>{agreement.docHash}</code>, contract <code>{agreement.address}</code>
        </p>
        <details>
          <summary>Show the document as it was hashed</summary>
          <pre>{finding.document}</pre>
        </details>
      </section>
    </>
  );
}

const signedBy = {
  permit: 'signed a permit',
  transaction: 'signed the transaction',
  nothing: 'no readable signature',
} as const;

function Act({ act }: { act: EvidenceAct }) {
  const { actor, roles, by, input, values, toState, time, blockNumber } = act;
  return (
    <li>
      <p>
        <strong>{input ?? 'Deployed the agreement'}</strong> <span class="arrow">led to</span>{' '}
        <strong>{toState}</strong>
      </p>
      <p class="faint">
        {actor === null ? 'Somebody' : roles.length > 0 ? roles.join(', ') : 'An account'}
        {actor !== null && (
          <>
            {' '}
            <code>{actor}</code>
          </>
        )}
        : {signedBy[by]}. {writeTime(time)}, block {blockNumber}.
      </p>
      {values.length > 0 && (
        <dl>
          {values.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value === null ? 'not readable' : String(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

function List({ title, items }: { title: string; items: readonly string[] }) {
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </section>
  );
}

/** The blocks, and a place for hashes that the reader has from elsewhere. */
function Anchors({ finding, again }: { finding: EvidenceFinding; again: (hashes: string) => void }) {
  const [text, setText] = useState('');
  const isReadable = readTrustedHashes(text) !== undefined;
  return (
    <section>
      <h2>Blocks</h2>
      <p>
        To be sure that these blocks are those of {finding.chain.name}, compare their hashes with a source
        that you trust, such as a block explorer or a node of your own, and enter what it says: a number and a
        hash in each line.
      </p>
      <details>
        <summary>
          {finding.blocks.length} {finding.blocks.length === 1 ? 'block' : 'blocks'}
        </summary>
        <ul class="blocks">
          {finding.blocks.map(({ number, hash, isAnchored }) => (
            <li key={number}>
              {number} <code>{hash}</code>
              {isAnchored && ' confirmed'}
            </li>
          ))}
        </ul>
      </details>
      <label class="hashes">
        Hashes from a source that you trust
        <textarea
          rows={3}
          value={text}
          aria-invalid={!isReadable}
          onInput={(event) => setText(event.currentTarget.value)}
          placeholder="1234567 0x…"
        />
      </label>
      {!isReadable && <p class="error">Each line takes a number and 0x with 64 hex digits.</p>}
      <button type="button" disabled={!isReadable || text.trim() === ''} onClick={() => again(text)}>
        Check again with these
      </button>
    </section>
  );
}
