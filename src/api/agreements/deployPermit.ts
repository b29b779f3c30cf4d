import { type Address, encodeFunctionData, type Hex } from 'viem';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import type { Limits } from '../../platform/config/limits.ts';
import { leaveTurn } from '../../platform/turns/leaveTurn.ts';
import { hashPermit } from '../../protocol/hashPermit.ts';
import {
  type AgreementParameters,
  compileAgreement,
  deployTypedData,
  hashInputDefs,
  isWithinLimits,
  ProtocolError,
  resolveDeployValues,
} from '../../protocol/index.ts';
import type { Permit } from './acceptPermit.ts';
import { agreementLimits, type DeploymentRequest, type DeploymentRules } from './checkDeployment.ts';
import type { PermitSignature } from './permitSignature.ts';
import type { PermitCall } from './recognisePermit.ts';
import { schemaHint, withoutSchemaFields } from './schemaHint.ts';

type EncodingRules = Pick<DeploymentRules, 'chains' | 'limits'>;

/** The signed data of a deployment's permit, except nonce and deadline. */
export type DeploymentContent = DeploymentRequest & { readonly docUri?: string | undefined };

export type SignedDeployment = DeploymentContent & {
  readonly signer: Address;
  readonly deadline: bigint;
  readonly signature: PermitSignature;
};

export type EncodedDeployment = {
  readonly chainId: number;
  /** The factory. */
  readonly contract: Address;
  readonly parameters: AgreementParameters;
  buildTypedData(nonce: bigint, deadline: bigint): ReturnType<typeof deployTypedData>;
};

export type CompiledDeployment = {
  readonly parameters: AgreementParameters;
  readonly permit: Permit;
  readonly call: PermitCall;
};

/**
 * The factory's parameters of a deployment, and its signed data; undefined if the request does not compile or
 * exceeds the limits. Does not check whether the service accepts the deployment. Each step of the largest
 * documents takes tens of milliseconds, so other requests run in between.
 */
export async function encodeDeployment(
  request: DeploymentContent,
  { chains, limits }: EncodingRules,
): Promise<EncodedDeployment | undefined> {
  const startedAt = performance.now();
  const chain = chains.find(({ chainId }) => chainId === request.chainId);
  const parameters = chain && compileParameters(request, limits);
  if (!chain || !parameters) return undefined;
  const { chainId, factory } = chain;
  await leaveTurn(startedAt);
  // The hashes cover the whole document, so they are computed once and not for every nonce that is tried.
  const typedData = deployTypedData({ chainId, factory, parameters, nonce: 0n, deadline: 0n });
  return {
    chainId,
    contract: factory,
    parameters,
    buildTypedData: (nonce, deadline) => ({
      ...typedData,
      message: { ...typedData.message, nonce, deadline },
    }),
  };
}

/**
 * The signed data of a deployment, and the call that submits it; undefined if the request does not compile,
 * and so cannot have been accepted before.
 */
export async function compileDeployment(
  request: SignedDeployment,
  rules: EncodingRules,
): Promise<CompiledDeployment | undefined> {
  const startedAt = performance.now();
  const encoded = await encodeDeployment(request, rules);
  if (!encoded) return undefined;
  const { chainId, contract, parameters } = encoded;
  await leaveTurn(startedAt);
  return {
    parameters,
    permit: buildPermit(request, encoded, rules),
    call: { chainId, contract, callData: encodeCall(request, parameters) },
  };
}

/** No larger id is stored, as the database's integers end here. */
const largestChainId = 2 ** 31 - 1;

/**
 * The same call on a chain that is not followed now, so that its factory is unknown; undefined for a chain that is followed,
 * and if the request does not compile.
 */
export async function compileUnfollowed(
  request: SignedDeployment,
  { chains, limits }: EncodingRules,
): Promise<Omit<PermitCall, 'contract'> | undefined> {
  const { chainId } = request;
  if (chains.some((chain) => chain.chainId === chainId)) return undefined;
  if (chainId < 1 || chainId > largestChainId) return undefined;
  const startedAt = performance.now();
  const parameters = compileParameters(request, limits);
  await leaveTurn(startedAt);
  return parameters && { chainId, callData: encodeCall(request, parameters) };
}

/** Undefined for a document that is larger than allowed, and if the request does not compile. */
function compileParameters(request: DeploymentContent, limits: Limits) {
  const { agreement } = request;
  if (!isWithinLimits(agreement, agreementLimits(limits))) return undefined;
  return attempt(() => compileAgreement(agreement, optionsOf(request, limits)));
}

function optionsOf({ agreement, initValues, participants, docUri }: DeploymentContent, limits: Limits) {
  return { docUri, values: resolveDeployValues({ agreement, initValues, participants }, limits).values };
}

function buildPermit(
  request: SignedDeployment,
  encoded: EncodedDeployment,
  { limits }: EncodingRules,
): Permit {
  const { signer, signature, deadline } = request;
  const { chainId, contract } = encoded;
  const buildTypedData = (nonce: bigint) => encoded.buildTypedData(nonce, deadline);
  return {
    chainId,
    contract,
    signer,
    signature,
    deadline,
    buildTypedData,
    async findHint(recover, nonce) {
      const reduced = withoutSchemaFields(request.agreement);
      if (reduced === undefined) return undefined;
      const inputDefsHash = hashInputDefs(compileAgreement(reduced, optionsOf(request, limits)).inputDefs);
      const { message, ...rest } = buildTypedData(nonce);
      const digest = hashPermit({ ...rest, message: { ...message, inputDefsHash } });
      return (await recover(digest)) === signer ? schemaHint : undefined;
    },
  };
}

function encodeCall({ signer, deadline, signature }: SignedDeployment, parameters: AgreementParameters): Hex {
  const { docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions } = parameters;
  const { v, r, s } = signature;
  return encodeFunctionData({
    abi: agreementFactoryAbi,
    functionName: 'createAgreementWithPermit',
    args: [
      signer,
      docUri,
      docHash,
      initialState,
      inputDefs,
      transitions,
      initVars,
      verifiers,
      actions,
      deadline,
      v,
      r,
      s,
    ],
  });
}

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof ProtocolError) return undefined;
    throw error;
  }
}
