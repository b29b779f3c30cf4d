import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { SignableTypedData } from '../../../client/src/types.ts';
import { queries } from '../service/queries.ts';
import { isSpentPermit } from '../wallet/isSpentPermit.ts';
import { isRefused, mayBeStored } from '../wallet/mayBeStored.ts';
import type { Checked } from '../wallet/signing.ts';
import type { Connected } from '../wallet/walletChoice.tsx';
import { type Basis, hasMoved, OutdatedReviewError, readBasis, requireBasis } from './basis.ts';
import type { InputEffect } from './findEffect.ts';
import type { Act, AgreementSource, Permit, Shown, ShownInput } from './source.ts';

type Prepared = {
  readonly offered: SignableTypedData;
  readonly checked: Checked;
  /** What the review is about: the rest belongs to it. */
  readonly basis: Basis;
  /** Undefined if the document does not say, or if open inputs come first. */
  readonly effect: InputEffect | undefined;
};
type Signed = { readonly prepared: Prepared; readonly permit: Permit };

/**
 * Signed inputs that the service may have stored, by what they do. They stay until the page is closed: sent again, the
 * same signature counts once, and a new one would count again.
 */
const unsettled = new Map<string, Signed>();

type Signing = {
  readonly shown: Shown;
  readonly source: AgreementSource;
  readonly act: Act;
  readonly wallet: Connected;
};

/** Prepares an input, has the wallet sign it, and sends it if the agreement is still as it was reviewed. */
export function useSigning({ shown, source, act, wallet }: Signing) {
  const { account } = wallet;
  const key = JSON.stringify([...source.key, act, account]);
  const [busy, setBusy] = useState<'signing' | 'sending'>();
  const [error, setError] = useState<unknown>();
  const [sent, setSent] = useState<ShownInput>();
  const [signed, setSigned] = useState(() => unsettled.get(key));
  const queryKey = ['permit', ...source.key, act.inputId, JSON.stringify(act.values), account];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Prepared> => {
      const [offered, basis, { checkInput }, { findEffect }] = await Promise.all([
        source.prepare({ ...act, signer: account }, signal),
        readBasis(source, signal),
        import('../wallet/signing.ts'),
        import('./findEffect.ts'),
      ]);
      const facts = { ...shown, ...act, agreementAddress: shown.address ?? '' };
      const isAsWritten = shown.differsFromDocument?.length === 0;
      const isKnown = isAsWritten && basis.open.length === 0;
      const effect = isKnown ? findEffect(facts, basis.state) : undefined;
      return { offered, checked: checkInput(facts, offered), basis, effect };
    },
    enabled: signed === undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  // The page itself asks for it again and again.
  const current = useQuery({
    queryKey: [...source.key, 'state'],
    queryFn: ({ signal }) => source.getState(signal),
  });
  const keep = (kept: Signed | undefined) => {
    if (kept) unsettled.set(key, kept);
    else unsettled.delete(key);
    setSigned(kept);
  };
  /** Settled by an answer about the permit: it is stored then, or refused. */
  const send = async (kept: Signed) => {
    setBusy('sending');
    keep(kept);
    try {
      setSent(await source.submit(kept.permit));
      keep(undefined);
      void queries.invalidateQueries({ queryKey: source.key });
    } catch (cause) {
      if (!mayBeStored(cause) && (signed === undefined || isRefused(cause))) keep(undefined);
      throw cause;
    }
  };
  const run = async (step: () => Promise<void>) => {
    setError(undefined);
    try {
      await step();
    } catch (cause) {
      setError(cause);
      if (isSpentPermit(cause)) void query.refetch();
    } finally {
      setBusy(undefined);
    }
  };
  const sign = async (prepared: Prepared) => {
    setBusy('signing');
    const { signChecked } = await import('../wallet/signing.ts');
    const { checked, offered } = prepared;
    const signature = await signChecked(checked, { ...wallet, chainId: shown.chainId });
    setBusy('sending');
    await requireBasis(source, prepared.basis);
    await send({ prepared, permit: { ...act, signer: account, deadline: offered.deadline, signature } });
  };
  /** Whether what was signed would still count: its nonce is not used yet, and the input is not refused now. */
  const isUnused = async ({ prepared }: Signed) => {
    try {
      const { nonce } = await source.prepare({ ...act, signer: account });
      return nonce === prepared.offered.nonce;
    } catch (cause) {
      if (isRefused(cause)) return false;
      throw cause;
    }
  };
  /** The input itself may have changed the agreement since. If it is not stored, it would have another effect now. */
  const sendAgain = async (kept: Signed) => {
    setBusy('sending');
    try {
      await requireBasis(source, kept.prepared.basis);
    } catch (cause) {
      if (!(cause instanceof OutdatedReviewError)) throw cause;
      if (await isUnused(kept)) {
        keep(undefined);
        throw cause;
      }
    }
    await send(kept);
  };
  const isIdle = signed === undefined && busy === undefined && !query.isFetching;
  return {
    query,
    prepared: signed?.prepared ?? query.data,
    /** Whether the agreement has changed since the review. */
    isOutdated:
      isIdle &&
      query.data !== undefined &&
      current.data !== undefined &&
      hasMoved(query.data.basis, current.data),
    reviewAgain: () => {
      setError(undefined);
      void queries.resetQueries({ queryKey });
    },
    busy,
    error,
    sent,
    /** Whether it is signed, and may be stored. */
    isUnsettled: signed !== undefined && busy === undefined,
    sign: (prepared: Prepared) => run(() => sign(prepared)),
    sendAgain: () => run(async () => signed && sendAgain(signed)),
  };
}
