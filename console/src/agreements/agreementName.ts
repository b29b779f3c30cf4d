import { findTitle } from '../../../src/protocol/findTitle.ts';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { texts } from '../texts/texts.ts';
import { member } from './member.ts';
import type { NamedValue } from './reviewValues.tsx';

type Named = { readonly json: unknown; readonly displayName: string };

/** What a document calls itself, or else the name of its template. Signatures depend on it, and on no name of a record. */
export function nameOfDocument(json: unknown): string {
  const names = ['name', 'templateId', 'id'].map((key) => member(json, 'metadata', key));
  const named = names.find((name) => typeof name === 'string' && name.trim() !== '');
  return typeof named === 'string' ? showUnseen(named) : texts.act.noName;
}

/** The document's name for itself, if the record has another one. */
export function findOtherTitle({ json, displayName }: Named): string | undefined {
  const title = findTitle(json);
  return title === undefined || title === displayName ? undefined : showUnseen(title);
}

/** The name that anybody may have given the record, for a list of what is not signed. */
export function listOtherName({ json, displayName }: Named): readonly NamedValue[] {
  return findTitle(json) === displayName ? [] : [[texts.act.givenName, displayName]];
}
