import { UnauthorizedError } from '../../../client/src/index.ts';
import { service } from './client.ts';

type Principal = { readonly id: string; readonly name: string };

/** Who is logged in before a link is used. */
type Present = { readonly principal: Principal | undefined; readonly wallet: string | undefined };
type Offered = Awaited<ReturnType<typeof service.sessions.previewLink>>;

/** What the link would change for the user who is logged in. */
export type Exchange = {
  readonly present: Present;
  readonly offered: Offered;
  /** Whether the link belongs to another principal. */
  readonly isStranger: boolean;
};

/**
 * Compares the session that a portal link opens with the present one.
 *
 * @returns no exchange if nobody is logged in, or if the same principal keeps all capabilities.
 * @throws AgreementsError if the service does not answer, or the link is not valid.
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
