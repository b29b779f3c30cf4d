import type { Hex } from 'viem';
import { ChainUnavailableError, RefusedError } from '../../platform/errors/serviceError.ts';
import { listActionErrors } from '../../platform/nodes/decodeRevert.ts';
import type { AdmissionServices, LocalFacts } from '../admission/createAdmission.ts';
import { acceptLocally } from './acceptLocally.ts';
import { checkInput } from './checkInput.ts';
import { type AdmissionRequest, type AdmittedInput, lookAtInput } from './lookAtInput.ts';
import { findSharedPermit } from './sharedPermit.ts';

export type IndexViews = {
  /** The view after everybody's open inputs. */
  readonly everybodys: LocalFacts;
  /** The permit's digest, if it is signed for that view's nonce. */
  readonly digest: Hex | undefined;
  /** `everybodys` if there is a digest, otherwise the view after the sender's own open inputs. */
  readonly view: LocalFacts;
};

/**
 * Decides by index and outbox. An input is accepted if it may follow everybody's open inputs. A refusal gives details
 * only about the sender's own open inputs. If only other senders' inputs prevent it, it says just that another input
 * comes first. A permit that is already open is accepted, whoever sent it.
 *
 * @throws RefusedError
 * @throws ChainUnavailableError if index and outbox cannot be read again.
 */
export async function acceptByIndex(
  request: AdmissionRequest,
  { everybodys, digest, view }: IndexViews,
  services: AdmissionServices,
): Promise<AdmittedInput> {
  const decide = (facts: LocalFacts, known?: Hex) =>
    tryInput(request, { facts, digest: known, services }).catch(keepRefusal);
  const first = digest === undefined ? undefined : await decide(everybodys, digest);
  if (first && !(first instanceof RefusedError)) return first;

  const own = digest === undefined ? view : await lookAtInput({ ...request, isAfterOwn: true }, services);
  if (!own) throw new ChainUnavailableError('The index of this chain is not available at the moment.');
  const alone = await decide(own);
  const shared = await findSharedPermit(request.compiled, services);
  if (shared) return { ...shared, ...describe(own) };
  if (alone instanceof RefusedError) throw alone;
  // `everybodys` may be older than `own`.
  const latest = first ? everybodys : await lookAtInput(request, services);
  if (!latest) throw new ChainUnavailableError('The index of this chain is not available at the moment.');
  const last = first ?? (await decide(latest));
  if (last instanceof RefusedError) throw withoutFacts(last);
  return last;
}

function keepRefusal(error: unknown): RefusedError {
  if (error instanceof RefusedError) return error;
  throw error;
}

async function tryInput(
  request: AdmissionRequest,
  { facts, digest, services }: { facts: LocalFacts; digest: Hex | undefined; services: AdmissionServices },
): Promise<AdmittedInput> {
  const { input, target, compiled: encoded } = request;
  const { agreement, variables, wallet } = target;
  const { limits, database } = services;
  const compiled = checkInput({ ...input, agreement, variables, facts, encoded }, limits);
  const accepted = await acceptLocally(compiled.permit, {
    database,
    wallet,
    actionErrors: listActionErrors(agreement),
    lifetimeSeconds: limits.permitLifetimeSeconds,
    facts,
    digest,
  });
  return { ...accepted, compiled, ...describe(facts) };
}

function describe({ gasKind, isExternal, note }: LocalFacts): Pick<AdmittedInput, 'gasKind' | 'note'> {
  return { gasKind: isExternal ? null : gasKind, note };
}

const aboutNonces = ['nonce_in_flight', 'stale_nonce', 'future_nonce'];

/** Removes facts that would reveal other senders' open inputs. Nonces are the signer's own. */
function withoutFacts(refusal: RefusedError): RefusedError {
  const { reason, field } = refusal;
  if (aboutNonces.includes(reason)) return refusal;
  const message = 'Another input comes first, and the agreement does not accept this one after it.';
  return new RefusedError(reason, message, field === undefined ? {} : { field });
}
