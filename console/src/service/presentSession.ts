import { UnauthorizedError } from '../../../client/src/index.ts';
import { service } from './client.ts';

type Principal = { readonly id: string; readonly name: string };

/** Who is in before a link is used. */
type Present = { readonly principal: Principal | undefined; readonly wallet: string | undefined };
type Offered = Awaited<ReturnType<typeof service.sessions.previewLink>>;

/** What the use of a link would change for whoever is in. */
export type Exchange = {
  readonly present: Present;
  readonly offered: Offered;
  /** Whether the link is not of the principal that is in. */
  readonly isStranger: boolean;
};

/**
 * Compares what a portal link opens with what the browser has.
 *
 * @returns without an exchange where nobody is in, or the same principal with no more than the link gives.
 * @throws AgreementsError where that cannot be told.
 */
export async function compareWithPresent(
  link: string,
  signal: AbortSignal,
): Promise<{ exchange: Exchange | undefined }> {
  const [caller, wallet] = await Promise.all([
    unlessNobody(service.sessions.current({ signal })),
    unlessNobody(service.wallet.current({ signal })),
  ]);
  if (!caller && !wallet) return { exchange: undefined };
  const offered = await service.sessions.previewLink({ link }, { signal });
  const isStranger = caller?.principal.id !== offered.principal.id;
  const kept = caller?.session?.capabilities.every((scope) => offered.capabilities.includes(scope));
  if (!isStranger && kept) return { exchange: undefined };
  const present = { principal: caller?.principal, wallet: wallet?.wallet };
  return { exchange: { present, offered, isStranger } };
}

async function unlessNobody<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof UnauthorizedError) return undefined;
    throw error;
  }
}
