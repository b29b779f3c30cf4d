import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { Note } from '../parts/note.tsx';
import { useSettings } from '../service/settings.ts';
import { texts } from '../texts/texts.ts';

/** The signed URI of the document; with a warning if it is not at this service. */
export function DocumentAddress({ docUri }: { readonly docUri: string }) {
  const settings = useSettings();
  const own = settings.data && `${settings.data.publicBaseUrl}/v0/agreements/documents/`;
  return (
    <>
      <bdi class="copy">{showUnseen(docUri)}</bdi>
      {own !== undefined && !docUri.startsWith(own) && <Note kind="warn">{texts.act.documentElsewhere}</Note>}
    </>
  );
}
