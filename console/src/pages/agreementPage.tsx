import { useMemo } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { AgreementView } from '../agreements/agreementView.tsx';
import { LinksPanel } from '../agreements/linksPanel.tsx';
import { ownSource } from '../agreements/source.ts';
import { useMay } from '../service/queries.ts';
import { texts } from '../texts/texts.ts';

export function AgreementPage() {
  const id = useRoute().params.id ?? '';
  const mayWrite = useMay('agreements.write');
  const source = useMemo(() => ownSource(id, mayWrite), [id, mayWrite]);
  return (
    <>
      <p class="small">
        <a href="/console/agreements">{texts.agreement.back}</a>
      </p>
      <AgreementView key={id} source={source} more={mayWrite && <LinksPanel id={id} />} />
    </>
  );
}
