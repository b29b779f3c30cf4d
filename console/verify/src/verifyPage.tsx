import type { TargetedInputEvent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { EvidenceVerdict } from '../../../client/src/verify/index.ts';
import { checkFile, readTrustedHashes } from '../../src/evidence/checkFile.ts';
import { nameOutcome, Outcome } from '../../src/evidence/finding.tsx';
import { texts } from '../../src/texts/texts.ts';

const words = texts.evidence;

type Checked = { readonly file: File; readonly verdict: EvidenceVerdict };

/** Takes a file by drop or by selection, checks it in this page, and shows what it proves. */
export function VerifyPage() {
  const [checked, setChecked] = useState<Checked>();
  const [busy, setBusy] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const check = async (file: File | null | undefined, hashes = '') => {
    if (!file) return;
    setBusy(true);
    setChecked(undefined);
    try {
      setChecked({ file, verdict: await checkFile(file, { trustedHashes: readTrustedHashes(hashes) }) });
    } catch {
      setChecked({ file, verdict: unreadable });
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setIsOver(event.type === 'dragover');
      if (event.type === 'drop') void check(event.dataTransfer?.files[0]);
    };
    const kinds = ['dragover', 'dragleave', 'drop'] as const;
    for (const kind of kinds) document.addEventListener(kind, drop);
    return () => {
      for (const kind of kinds) document.removeEventListener(kind, drop);
    };
  }, []);
  return (
    <main class="page verify">
      <header>
        <h1>{words.page.title}</h1>
        <p>{words.page.lead}</p>
      </header>
      <label class={isOver ? 'drop over' : 'drop'}>
        <input
          type="file"
          class="hidden"
          accept=".json,application/json"
          onChange={(event: TargetedInputEvent<HTMLInputElement>) =>
            void check(event.currentTarget.files?.[0])
          }
        />
        <strong>{words.page.drop}</strong>
        <span class="soft small">{words.page.dropHint}</span>
      </label>
      <div role="status" aria-live="polite" class={busy ? undefined : 'hidden'}>
        {busy ? <p>{words.checking}</p> : checked && nameOutcome(checked.verdict)}
      </div>
      {checked && (
        <Outcome
          fileName={checked.file.name}
          verdict={checked.verdict}
          again={(hashes) => void check(checked.file, hashes)}
        />
      )}
    </main>
  );
}

const unreadable: EvidenceVerdict = {
  ok: false,
  reason: 'not_json',
  path: '',
  message: words.unreadable,
};
