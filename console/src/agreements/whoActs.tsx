import { useQuery } from '@tanstack/preact-query';
import { Hex } from '../parts/hex.tsx';
import { service } from '../service/client.ts';
import { texts } from '../texts/texts.ts';

const words = texts.agreements;

/** Whose turn it is in an agreement: the wallets whose inputs are accepted now. */
export function WhoActs({ id }: { readonly id: string }) {
  const state = useQuery({
    queryKey: ['agreement', id, 'state'],
    queryFn: ({ signal }) => service.agreements.getState(id, { signal }),
    staleTime: 10_000,
  });
  if (!state.data) return <span class="soft">…</span>;
  const { acceptedInputs } = state.data;
  if (acceptedInputs.length === 0) return <span class="soft">{words.nobody}</span>;
  if (acceptedInputs.some(({ anyone }) => anyone)) return <>{words.anyone}</>;
  const wallets = [...new Set(acceptedInputs.flatMap(({ issuers }) => issuers))];
  return (
    <>
      {wallets.slice(0, 3).map((wallet, at) => (
        <span key={wallet}>
          {at > 0 && ', '}
          <Hex value={wallet} />
        </span>
      ))}
      {wallets.length > 3 && ' …'}
    </>
  );
}
