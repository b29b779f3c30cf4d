import { useQuery } from '@tanstack/preact-query';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { service } from '../service/client.ts';
import { useMay } from '../service/queries.ts';

type AgreementLinkProps = { readonly id: string };

/** A link to an agreement by its name; by its id until the name is known, or if it may not be read. */
export function AgreementLink({ id }: AgreementLinkProps) {
  const record = useQuery({
    queryKey: ['agreement', id, 'name'],
    queryFn: async ({ signal }) => (await service.agreements.get(id, { signal })).displayName,
    enabled: useMay('agreements.read'),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  return (
    <a class="name" dir="auto" href={`/console/agreements/${id}`} title={id}>
      {showUnseen(record.data ?? id)}
    </a>
  );
}
