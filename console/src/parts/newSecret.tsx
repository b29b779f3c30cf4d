import { CopyButton } from './copyButton.tsx';
import { Note } from './note.tsx';

type NewSecretProps = { readonly lead: string; readonly secret: string };

/** A secret that is shown once. */
export function NewSecret({ lead, secret }: NewSecretProps) {
  return (
    <Note kind="good">
      <p>{lead}</p>
      <p class="row">
        <code class="copy">{secret}</code>
        <CopyButton text={secret} />
      </p>
    </Note>
  );
}
