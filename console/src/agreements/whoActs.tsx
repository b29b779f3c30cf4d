import { useQuery } from '@tanstack/preact-query';
import { service } from '../service/client.ts';
import { texts } from '../texts/texts.ts';
import { nameOfWallet } from './naming.ts';
import { Party } from './party.tsx';

const words = texts.agreements;

/** Who acts next in an agreement: the participants whose inputs are accepted now; a wallet without a name by its address. */
export function WhoActs({ id }: { readonly id: string }) {
  const state = useQuery({
    queryKey: ['agreement', id, 'state'],
    queryFn: ({ signal }) => service.agreements.getState(id, { signal }),
    staleTime: 10_000,
  });
  if (!state.data) return <span class="soft">…</span>;
  const { acceptedInputs, participants } = state.data;
  if (acceptedInputs.length === 0) return <span class="soft">{words.nobody}</span>;
  if (acceptedInputs.some(({ anyone }) => anyone)) return <>{words.anyone}</>;
  const wallets = [...new Set(acceptedInputs.flatMap(({ issuers }) => issuers))];
  return (
    <>
      {wallets.slice(0, 3).map((wallet, at) => (
        <span key={wallet}>
          {at > 0 && ', '}
          <Party wallet={wallet} name={nameOfWallet(participants, wallet)} />
        </span>
      ))}
      {wallets.length > 3 && ' …'}
    </>
  );
}
