import { findTitle } from '../../../protocol/findTitle.ts';
import { quoteName } from '../quotedData.ts';

/** How to name an agreement before somebody signs: by its document, because anybody may choose the name of a record. */
export type Naming = {
  readonly named: string;
  /** Undefined if the record has the name of the document. */
  readonly otherName: string | undefined;
};

export function tellName({ json, displayName }: { json: unknown; displayName: string }): Naming {
  const title = findTitle(json);
  return {
    named: title === undefined ? 'an agreement without a name' : quoteName(title),
    otherName:
      title === displayName
        ? undefined
        : `The name of its record is ${quoteName(displayName)}. No signature covers that name.`,
  };
}
