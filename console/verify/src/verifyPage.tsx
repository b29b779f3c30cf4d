import type { TargetedInputEvent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { EvidenceVerdict } from '../../../client/src/verify/index.ts';
import { checkFile, readTrustedHashes } from './checkFile.ts';
import { Finding } from './finding.tsx';

type Checked = { readonly file: File; readonly verdict: EvidenceVerdict };

/** Takes a file by drop or by choice, checks it in this page, and says what it proves. */
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
    <main>
      <header>
        <h1>Check evidence of an agreement</h1>
        <p>
          A file of evidence shows who signed what, and when. It is checked here, in your browser: nothing of
          it is sent anywhere, and this page works without a connection once it is open.
        </p>
      </header>
      <label class={isOver ? 'drop over' : 'drop'}>
        <input
          type="file"
          accept=".json,application/json"
          onChange={(event: TargetedInputEvent<HTMLInputElement>) =>
            void check(event.currentTarget.files?.[0])
          }
        />
        <strong>Drop a file here, or choose one</strong>
        <span>evidence-….json, up to 64 MiB</span>
      </label>
      <div role="status" aria-live="polite">
        {busy && <p class="busy">Checking every signature and proof…</p>}
      </div>
      {checked && <Outcome checked={checked} again={(hashes) => void check(checked.file, hashes)} />}
    </main>
  );
}

const unreadable: EvidenceVerdict = {
  ok: false,
  reason: 'not_json',
  path: '',
  message: 'The file cannot be read.',
};

function Outcome({ checked, again }: { checked: Checked; again: (hashes: string) => void }) {
  const { file, verdict } = checked;
  if (verdict.ok) return <Finding fileName={file.name} finding={verdict} again={again} />;
  return (
    <section class="verdict refused" aria-label="Result">
      <p class="mark">Refused</p>
      <h2>This file proves nothing</h2>
      <p>{verdict.message}</p>
      <p class="faint">
        It was damaged, or somebody has changed it. Ask whoever gave it to you for the file as the service
        made it.
      </p>
      <p class="faint">
        Reason <code>{verdict.reason}</code>
        {verdict.path !== '' && (
          <>
            , in <code>{verdict.path}</code>
          </>
        )}
        , in {file.name}
      </p>
    </section>
  );
}
