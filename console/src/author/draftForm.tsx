import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { BodyOf } from '../../../client/src/types.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, TextInput } from '../parts/field.tsx';
import { NewSecret } from '../parts/newSecret.tsx';
import { service } from '../service/client.ts';
import { texts } from '../texts/texts.ts';

const words = texts.author;
const weekSeconds = 604_800;

type DraftFormProps = {
  readonly isFilled: boolean;
  readonly deployment: Omit<BodyOf<'createDraft'>, 'signer'>;
};

/** Prepares a deployment for somebody else to sign, through a link. */
export function DraftForm({ isFilled, deployment }: DraftFormProps) {
  const [signer, setSigner] = useState('');
  const prepare = useMutation({
    mutationFn: async () => {
      const { id } = await service.agreements.createDraft({ ...deployment, signer: signer.trim() });
      return service.links.create(id, { may: 'sign', expiresInSeconds: weekSeconds });
    },
  });
  return (
    <>
      <Field label={words.owner}>
        <TextInput value={signer} onInput={setSigner} mono />
      </Field>
      {prepare.error && <Failure error={prepare.error} />}
      {prepare.data ? (
        <NewSecret lead={words.draftLink} secret={prepare.data.url} />
      ) : (
        <p>
          <Button
            kind="primary"
            disabled={!isFilled || signer.trim() === '' || prepare.isPending}
            onPress={() => prepare.mutate()}
          >
            {words.makeDraft}
          </Button>
        </p>
      )}
    </>
  );
}
