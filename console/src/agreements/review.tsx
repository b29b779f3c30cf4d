import type { SignableTypedData } from '../../../client/src/types.ts';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { Hex } from '../parts/hex.tsx';
import { Note } from '../parts/note.tsx';
import { Time } from '../parts/time.tsx';
import { chainName } from '../service/settings.ts';
import { texts } from '../texts/texts.ts';
import type { Checked } from '../wallet/signing.ts';
import { DocumentAddress } from './documentAddress.tsx';
import { Effect } from './effect.tsx';
import type { InputEffect } from './findEffect.ts';
import { type NamedValue, ReviewValues } from './reviewValues.tsx';

const words = texts.act;

type ReviewProps = {
  readonly sentence: string;
  readonly wallet: string;
  readonly party: string | undefined;
  readonly values: readonly NamedValue[];
  /** Shown with the agreement, but in no signature. */
  readonly unsigned?: readonly NamedValue[] | undefined;
  /** The URI of the document, if that is signed. */
  readonly docUri?: string | undefined;
  /** For an input that the document takes in the state at this time. */
  readonly effect?: InputEffect | undefined;
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
  unsigned = [],
  docUri,
  effect,
  chainId,
  contract,
  offered,
  checked,
}: ReviewProps) {
  const isSame = checked.differences.length === 0;
  return (
    <div class="stack">
      <p dir="auto">
        <strong>{showUnseen(sentence)}</strong>
      </p>
      <dl class="facts">
        <dt>{words.asWho}</dt>
        <dd>
          {party !== undefined && <bdi>{party}</bdi>} <Hex value={wallet} whole />
        </dd>
        <dt>{values.length === 0 ? words.withoutValues : words.withValues}</dt>
        <dd>
          <ReviewValues values={values} />
        </dd>
        {effect && <Effect {...effect} />}
        <dt>{words.onContract}</dt>
        <dd>
          <Hex value={contract} whole /> <span class="soft">{chainName(chainId)}</span>
        </dd>
        {docUri !== undefined && <dt>{words.documentAddress}</dt>}
        {docUri !== undefined && (
          <dd>
            <DocumentAddress docUri={docUri} />
          </dd>
        )}
      </dl>
      {unsigned.length > 0 && (
        <Note kind="warn">
          <p>{words.notSigned}</p>
          <ReviewValues values={unsigned} />
        </Note>
      )}
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
        <p class="small">{unsigned.length === 0 ? words.digestSame : words.digestSameExcept}</p>
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
