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

/** Whether the name of a record is not the document's. */
export function isNamedOtherwise({ json, displayName }: Named): boolean {
  return member(json, 'metadata', 'name') !== displayName;
}

/** The name that anybody may have given the record, for a list of what is not signed. */
export function listOtherName(named: Named): readonly NamedValue[] {
  return isNamedOtherwise(named) ? [[texts.act.givenName, named.displayName]] : [];
}
