import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { texts } from '../texts/texts.ts';
import type { InputEffect } from './findEffect.ts';

const words = texts.act;

/** What an input does once it is accepted, as facts for a list. */
export function Effect({ from, to, isExternal }: InputEffect) {
  return (
    <>
      <dt>{from === to ? words.keepsState : words.changesState}</dt>
      <dd>
        <bdi>{showUnseen(from)}</bdi>
        {from !== to && ' → '}
        {from !== to && <bdi>{showUnseen(to)}</bdi>}
      </dd>
      {isExternal && <dt>{words.thenCalls}</dt>}
      {isExternal && <dd>{words.anotherContract}</dd>}
    </>
  );
}
