import { type Address, encodeFunctionData, type Hex } from 'viem';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { leaveTurn } from '../../platform/turns/leaveTurn.ts';
import type { AgreementParameters } from '../../protocol/index.ts';
import type { Services } from '../../records/agreements/services.ts';
import { type CheckedDeployment, checkDeployment } from './checkDeployment.ts';
import { type DeploymentContent, type EncodedDeployment, encodeDeployment } from './deployPermit.ts';
import { requireFreeDocumentId } from './documentId.ts';
import { chooseHostedDocument, type HostedDocument } from './documentUri.ts';
import { prepareSignable, type Signable } from './signable.ts';

export type DeploymentPreparation = DeploymentContent & {
  readonly principalId: string;
  readonly signer: Address;
  /** Unix seconds; an hour ahead by default. */
  readonly deadline?: bigint | undefined;
  readonly documentId?: string | undefined;
  readonly draftId?: string | undefined;
};

/**
 * The typed data for a deployment's signer, after all checks that come before the signature check, in the
 * same order. Stores and sends nothing.
 *
 * @throws RefusedError, MalformedError for a deployment that would be refused, whatever its signature.
 * @throws ChainUnavailableError if the chain cannot be asked.
 */
export async function prepareDeployment(
  request: DeploymentPreparation,
  services: Services,
): Promise<Omit<Signable, 'minedNonce'> & HostedDocument> {
  const { principalId, agreement, signer, deadline } = request;
  const { hosted, encoded } = await encodeHosted(request, services);
  const { chainId, contract, parameters, buildTypedData } = encoded;
  const signable = await prepareSignable(
    {
      principalId,
      chainId,
      contract,
      isAgreement: false,
      nonces: 'turn',
      agreement,
      signer,
      deadline,
      directCall: { to: contract, data: encodeDirectCall(parameters) },
      build: () => buildTypedData,
    },
    services,
  );
  const { minedNonce: _, ...signed } = signable;
  return { ...signed, ...hosted };
}

/** A checked deployment, with its document's URI and its encoding. */
export async function encodeHosted(
  request: Pick<DeploymentPreparation, keyof DeploymentContent | 'principalId' | 'documentId' | 'draftId'>,
  services: Services,
): Promise<{ checked: CheckedDeployment; hosted: HostedDocument; encoded: EncodedDeployment }> {
  const checked = await checkDeployment(request, services);
  await requireFreeDocumentId(services.database, request);
  const hosted = chooseHostedDocument(request, services.publicBaseUrl);
  const startedAt = performance.now();
  const encoded = await encodeDeployment({ ...request, ...hosted }, services);
  if (!encoded) throw new Error('a validated deployment did not compile');
  await leaveTurn(startedAt);
  return { checked, hosted, encoded };
}

/** The deployment as a call by the signer itself, without a permit. */
function encodeDirectCall(parameters: AgreementParameters): Hex {
  const { docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions } = parameters;
  return encodeFunctionData({
    abi: agreementFactoryAbi,
    functionName: 'createAgreement',
    args: [docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions],
  });
}
