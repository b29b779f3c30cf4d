import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { Hex } from '../parts/hex.tsx';
import { NotSigned } from '../parts/notSigned.tsx';
import { Time } from '../parts/time.tsx';
import { chainName } from '../service/settings.ts';
import { texts } from '../texts/texts.ts';
import { knowsRules } from './knowsRules.ts';
import { isObject, member } from './member.ts';
import { nameOfVariable } from './naming.ts';
import type { Shown } from './source.ts';
import { writeValue } from './timeline.tsx';

const words = texts.agreement;

type FactsProps = {
  readonly shown: Shown;
  /** The variables whose values no signature covers. */
  readonly unsigned: ReadonlySet<string>;
};

/** Participants, variables, and the record's data. */
export function Facts({ shown, unsigned }: FactsProps) {
  const { json, variables, participants, chainId } = shown;
  const declared = member(json, 'variables');
  const names = new Set([...Object.keys(isObject(declared) ? declared : {}), ...Object.keys(variables)]);
  const parties = new Set(participants.map(({ variableKey }) => variableKey));
  const templateId = member(json, 'metadata', 'templateId') ?? member(json, 'metadata', 'id');
  return (
    <div class="stack facts-panel">
      {participants.length > 0 && (
        <section>
          <h2>{words.participants}</h2>
          <dl class="facts">
            {participants.map(({ variableKey, walletAddress }) => [
              <dt key={variableKey} dir="auto">
                {nameOfVariable(json, variableKey)}
              </dt>,
              <dd key={`${variableKey} wallet`}>
                <Hex value={walletAddress} chainId={chainId} whole />
                {unsigned.has(variableKey) && <NotSigned />}
              </dd>,
            ])}
          </dl>
        </section>
      )}
      <section>
        <h2>{words.variables}</h2>
        <dl class="facts">
          {[...names]
            .filter((name) => !parties.has(name))
            .map((name) => [
              <dt key={name} dir="auto" title={name}>
                {nameOfVariable(json, name)}
              </dt>,
              <dd key={`${name} value`} dir="auto">
                {Object.hasOwn(variables, name) ? (
                  <bdi>{writeValue(variables[name])}</bdi>
                ) : (
                  <span class="soft">{knowsRules(shown) ? words.notYet : words.notKnown}</span>
                )}
                {unsigned.has(name) && <NotSigned />}
              </dd>,
            ])}
        </dl>
      </section>
      <section>
        <h2>{words.facts}</h2>
        <dl class="facts">
          <dt>{words.chain}</dt>
          <dd>
            {chainName(chainId)} <span class="soft">({chainId})</span>
          </dd>
          {shown.address && <dt>{words.address}</dt>}
          {shown.address && (
            <dd>
              <Hex value={shown.address} chainId={chainId} whole />
            </dd>
          )}
          {shown.owner && <dt>{words.owner}</dt>}
          {shown.owner && (
            <dd>
              <Hex value={shown.owner} chainId={chainId} whole />
            </dd>
          )}
          <dt>{words.created}</dt>
          <dd>
            <Time at={shown.createdAt} form="clock" />
          </dd>
          <dt>{words.changed}</dt>
          <dd>
            <Time at={shown.updatedAt} />
          </dd>
          <dt>{words.documentHash}</dt>
          <dd>
            <Hex value={shown.docHash} whole />
          </dd>
          {typeof templateId === 'string' && <dt>{words.templateId}</dt>}
          {typeof templateId === 'string' && <dd dir="auto">{showUnseen(templateId)}</dd>}
          <dt>{words.recordId}</dt>
          <dd>
            <code class="copy">{shown.id}</code>
          </dd>
        </dl>
      </section>
    </div>
  );
}
