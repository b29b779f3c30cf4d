import type { Address, Hex } from 'viem';
import { compileAgreement } from '../../../src/protocol/compileAgreement.ts';
import { findPublicFactory } from '../../../src/protocol/publicFactories.ts';
import { deployTypedData } from '../../../src/protocol/typedData.ts';
import type { AgreementsClient } from '../agreementsClient.ts';
import type { AgreementRecord, BodyOf } from '../types.ts';
import { type WaitOptions, waitForDeployment } from '../waiting.ts';
import { chooseDeadline } from './chooseDeadline.ts';
import { openWallet, type WalletOptions } from './openWallet.ts';
import { signOffered } from './signOffered.ts';

type Unsigned = Omit<BodyOf<'deployWithPermit'>, 'signer' | 'deadline' | 'signature'>;

export type Deployment = WalletOptions &
  Unsigned & {
    readonly client: AgreementsClient;
    /** Unix seconds; the permit is valid until then. Default: the service's choice, usually an hour from now. */
    readonly deadline?: number | undefined;
    /** The deploying factory. Default: the public one of the chain. */
    readonly factory?: Address | undefined;
    readonly signal?: AbortSignal | undefined;
  };

export type SignedDeployment = { readonly body: BodyOf<'deployWithPermit'>; readonly digest: Hex };

/**
 * Asks the service for a deployment's typed data, computes the same from the document and the values, and
 * signs them.
 *
 * @returns the body for `client.agreements.deployWithPermit`.
 * @throws TypedDataMismatchError if the service asks to sign something else; then nothing is signed.
 * @throws PermitRefusedError if the service would refuse it now, or chooses a deadline more than a day ahead;
 * ApiError where the deployment is not valid.
 */
export async function signDeployment(deployment: Deployment): Promise<SignedDeployment> {
  const { client, agreement, chainId, displayName, notificationTemplate, participantAccess } = deployment;
  const { factory = publicFactory(chainId), deadline, signal } = deployment;
  const wallet = await openWallet(deployment);
  const signer = wallet.address;
  const request = { ...pickSigned(deployment), signer };
  const signable = await client.agreements.makeDeployTypedData(
    { ...request, ...(deadline !== undefined && { deadline }) },
    { signal },
  );
  const parameters = compileAgreement(agreement, {
    docUri: deployment.docUri ?? signable.docUri,
    values: effectiveValues(deployment),
  });
  const typedData = deployTypedData({
    chainId,
    factory,
    parameters,
    nonce: BigInt(signable.nonce),
    deadline: chooseDeadline(deadline, signable.deadline),
  });
  const { digest, signature } = await signOffered(typedData, signable, { wallet, chainId });
  const { docUri, documentId } = signable;
  const unsigned = { displayName, notificationTemplate, participantAccess } as Pick<Unsigned, 'displayName'>;
  const signed = { docUri, documentId, deadline: signable.deadline, signature };
  return { body: { ...request, ...unsigned, ...signed }, digest };
}

/**
 * Deploys an agreement: requests, checks and signs the typed data, sends the permit, and waits until the
 * agreement is deployed.
 *
 * @throws what `signDeployment` and `waitForDeployment` throw.
 *
 * @example
 * const record = await deployAgreement({
 *   client,
 *   walletClient,
 *   agreement,
 *   chainId: 59141,
 *   displayName: 'East wall',
 *   initValues: { wall: 'East wall', wallSquareMetres: '84' },
 *   participants: [
 *     { variableKey: 'patron', walletAddress: walletClient.account.address },
 *     { variableKey: 'artist', walletAddress: '0x…' },
 *   ],
 * });
 */
export async function deployAgreement(deployment: Deployment & WaitOptions): Promise<AgreementRecord> {
  const { client, signal } = deployment;
  const { body } = await signDeployment(deployment);
  const record = await client.agreements.deployWithPermit(body, { signal });
  return waitForDeployment(client, record, deployment);
}

type Signed = Omit<BodyOf<'makeDeployTypedData'>, 'signer'>;

/** The parts of a deployment that affect the typed data. */
function pickSigned(deployment: Unsigned): Signed {
  const { agreement, chainId, initValues, participants, observers, docUri, documentId } = deployment;
  // JSON leaves out undefined members.
  return { agreement, chainId, initValues, participants, observers, docUri, documentId } as Signed;
}

/** The initial values: the given ones, and the participants' wallets. */
function effectiveValues({ initValues, participants = [] }: Unsigned): Record<string, unknown> {
  const wallets = participants.map(({ variableKey, walletAddress }) => [variableKey, walletAddress]);
  return { ...initValues, ...Object.fromEntries(wallets) };
}

function publicFactory(chainId: number): Address {
  const factory = findPublicFactory(chainId);
  if (factory) return factory;
  throw new TypeError(`Give the factory of chain ${chainId}.`);
}
