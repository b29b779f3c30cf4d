import { useMutation } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
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

/**
 * Prepares a deployment for somebody else to sign, through a link. A draft that has no link yet, because its creation
 * failed, gets one instead of being made again.
 */
export function DraftForm({ isFilled, deployment }: DraftFormProps) {
  const [signer, setSigner] = useState('');
  const request = { ...deployment, signer: signer.trim() };
  const key = JSON.stringify(request);
  const unlinked = useRef<{ readonly key: string; readonly id: string }>();
  const prepare = useMutation({
    mutationFn: async () => {
      const known = unlinked.current?.key === key ? unlinked.current : undefined;
      const { id } = known ?? (await service.agreements.createDraft(request));
      unlinked.current = { key, id };
      const { url } = await service.links.create(id, { may: 'sign', expiresInSeconds: weekSeconds });
      return { key, url };
    },
  });
  const made = prepare.data?.key === key ? prepare.data : undefined;
  return (
    <>
      <Field label={words.owner}>
        <TextInput value={signer} onInput={setSigner} mono />
      </Field>
      {prepare.error && <Failure error={prepare.error} />}
      {made ? (
        <NewSecret lead={words.draftLink} secret={made.url} />
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
