import { type Address, encodeFunctionData, type Hex, hashTypedData } from 'viem';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import {
  type AgreementParameters,
  compileAgreement,
  deployTypedData,
  hashInputDefs,
  ProtocolError,
  resolveDeployValues,
} from '../../protocol/index.ts';
import type { ChainConfiguration } from '../config/configuration.ts';
import type { Permit } from './acceptPermit.ts';
import type { DeploymentRequest } from './checkDeployment.ts';
import type { PermitSignature } from './permitSignature.ts';
import type { PermitCall } from './recognisePermit.ts';
import { schemaHint, withoutSchemaFields } from './schemaHint.ts';

/** A deployment with the permit that its signer gave. */
export type SignedDeployment = DeploymentRequest & {
  readonly signer: Address;
  readonly deadline: bigint;
  readonly signature: PermitSignature;
  readonly docUri?: string | undefined;
};

export type CompiledDeployment = {
  readonly parameters: AgreementParameters;
  readonly permit: Permit;
  readonly call: PermitCall;
};

/**
 * What a deployment's signer signed, and the call that submits it; undefined where the request does not compile, and so cannot
 * be one that was accepted before. Whether the service takes the deployment is another question.
 */
export function compileDeployment(
  request: SignedDeployment,
  chains: readonly ChainConfiguration[],
): CompiledDeployment | undefined {
  const chain = chains.find(({ chainId }) => chainId === request.chainId);
  const parameters = chain && attempt(() => compileAgreement(request.agreement, optionsOf(request)));
  if (!chain || !parameters) return undefined;
  const { chainId, factory: contract } = chain;
  return {
    parameters,
    permit: buildPermit(request, { parameters, chainId, contract }),
    call: { chainId, contract, callData: encodeCall(request, parameters) },
  };
}

function optionsOf({ agreement, initValues, participants, docUri }: SignedDeployment) {
  return { docUri, values: resolveDeployValues({ agreement, initValues, participants }).values };
}

function buildPermit(
  request: SignedDeployment,
  facts: { parameters: AgreementParameters; chainId: number; contract: Address },
): Permit {
  const { signer, signature, deadline } = request;
  const { parameters, chainId, contract } = facts;
  const typedData = deployTypedData({ chainId, factory: contract, parameters, nonce: 0n, deadline });
  const withNonce = (nonce: bigint) => ({ ...typedData, message: { ...typedData.message, nonce } });
  return {
    chainId,
    contract,
    signer,
    signature,
    deadline,
    buildTypedData: withNonce,
    async findHint(recover, nonce) {
      const reduced = withoutSchemaFields(request.agreement);
      if (reduced === undefined) return undefined;
      const inputDefsHash = hashInputDefs(compileAgreement(reduced, optionsOf(request)).inputDefs);
      const { message, ...rest } = withNonce(nonce);
      const digest = hashTypedData({ ...rest, message: { ...message, inputDefsHash } });
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
