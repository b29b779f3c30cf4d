import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { AgreementSource, Shown } from '../agreements/source.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { texts } from '../texts/texts.ts';
import { saveFile } from './saveFile.ts';

const words = texts.evidence;

type EvidencePanelProps = {
  readonly shown: Pick<Shown, 'chainId' | 'address'>;
  readonly source: Pick<AgreementSource, 'readEvidence'>;
};

/** The evidence of an agreement: save it as a file, or check it in this page with the code for other files. */
export function EvidencePanel({ shown, source }: EvidencePanelProps) {
  const { chainId, address = '' } = shown;
  const fileName = `evidence-${chainId}-${address.toLowerCase()}.json`;
  const [stage, setStage] = useState('');
  const read = async () => {
    setStage(words.reading);
    return source.readEvidence(({ blocksProved, blocks }) => setStage(words.progress(blocksProved, blocks)));
  };
  const save = useMutation({
    mutationFn: async () => saveFile({ text: await read(), fileName, type: 'application/json' }),
  });
  const check = useMutation({
    async mutationFn({ file, hashes }: { file?: Blob; hashes: string }) {
      const [{ checkFile, readTrustedHashes }, { Outcome }, blob] = await Promise.all([
        import('./checkFile.ts'),
        import('./finding.tsx'),
        file ?? read().then((text) => new Blob([text])),
      ]);
      setStage(words.checking);
      const verdict = await checkFile(blob, { trustedHashes: readTrustedHashes(hashes) });
      return { verdict, blob, Outcome };
    },
  });
  const isBusy = save.isPending || check.isPending;
  const { Outcome, verdict, blob } = check.data ?? {};
  return (
    <section class="section">
      <h2>{words.title}</h2>
      <p class="lead">{words.lead}</p>
      <div class="row">
        <Button disabled={isBusy} onPress={() => save.mutate()}>
          {words.download}
        </Button>
        <Button disabled={isBusy} onPress={() => check.mutate({ hashes: '' })}>
          {words.check}
        </Button>
        <a href="/verify" target="_blank" rel="noopener">
          {words.elsewhere}
        </a>
      </div>
      <p role="status" class="soft small">
        {isBusy && stage}
      </p>
      {(save.error ?? check.error) && <Failure error={save.error ?? check.error} />}
      {Outcome && verdict && (
        <>
          <Outcome
            fileName={fileName}
            verdict={verdict}
            again={(hashes) => check.mutate({ ...(blob && { file: blob }), hashes })}
          />
          <Button kind="plain" onPress={() => check.reset()}>
            {words.hide}
          </Button>
        </>
      )}
    </section>
  );
}
