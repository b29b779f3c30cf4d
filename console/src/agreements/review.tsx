import type { SignableTypedData } from '../../../client/src/types.ts';
import { Hex } from '../parts/hex.tsx';
import { Note } from '../parts/note.tsx';
import { Time } from '../parts/time.tsx';
import { chainName } from '../service/settings.ts';
import { texts } from '../texts/texts.ts';
import type { Checked } from '../wallet/signing.ts';
import { writeValue } from './timeline.tsx';

const words = texts.act;

type ReviewProps = {
  readonly sentence: string;
  readonly wallet: string;
  readonly party: string | undefined;
  /** Their names in the document, and themselves. */
  readonly values: readonly (readonly [string, unknown])[];
  readonly chainId: number;
  readonly contract: string;
  readonly offered: SignableTypedData;
  readonly checked: Checked;
};

/** Says in words what a wallet is about to sign, and that the service asks for the same. */
export function Review({
  sentence,
  wallet,
  party,
  values,
  chainId,
  contract,
  offered,
  checked,
}: ReviewProps) {
  const isSame = checked.differences.length === 0;
  return (
    <div class="stack">
      <p dir="auto">
        <strong>{sentence}</strong>
      </p>
      <dl class="facts">
        <dt>{words.asWho}</dt>
        <dd>
          {party !== undefined && <span dir="auto">{party}</span>} <Hex value={wallet} whole />
        </dd>
        <dt>{values.length === 0 ? words.withoutValues : words.withValues}</dt>
        <dd>
          {values.map(([name, value], at) => (
            <div key={`${at} ${name}`} dir="auto">
              <span class="soft">{name}:</span> {writeValue(value)}
            </div>
          ))}
        </dd>
        <dt>{words.onContract}</dt>
        <dd>
          <Hex value={contract} whole /> <span class="soft">{chainName(chainId)}</span>
        </dd>
      </dl>
      <p class="small">
        {words.goodOnce(offered.nonce)}{' '}
        <Time at={new Date(offered.deadline * 1_000).toISOString()} form="clock" />.
      </p>
      <dl class="digest small">
        <dt class="soft">{words.digestHere}</dt>
        <dd>
          <code class="copy" data-digest="here">
            {checked.digest}
          </code>
        </dd>
        <dt class="soft">{words.digestService}</dt>
        <dd>
          <code class="copy" data-digest="service">
            {checked.offeredDigest}
          </code>
        </dd>
      </dl>
      {isSame ? (
        <p class="small">{words.digestSame}</p>
      ) : (
        <Note kind="bad">
          <p>{words.digestOther}</p>
          <p class="small">
            {words.differences} {checked.differences.join(', ')}
          </p>
        </Note>
      )}
      {!offered.verdict.ok && (
        <Note kind="warn">
          <p>{words.verdictBad}</p>
          <p dir="auto">
            {texts.reasons[offered.verdict.reason ?? ''] ?? ''} {offered.verdict.message}
          </p>
        </Note>
      )}
    </div>
  );
}
