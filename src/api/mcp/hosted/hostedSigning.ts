import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AccessError, MalformedError, RefusedError } from '../../../platform/errors/serviceError.ts';
import { hashDocument, serializeAgreement } from '../../../protocol/index.ts';
import { chooseHostedDocument } from '../../agreements/documentUri.ts';
import { preflightShape, recordShape } from '../../shapes/resources.ts';
import { signableDeploymentShape, signableShape } from '../../shapes/signableShape.ts';
import { present } from '../agentArguments.ts';
import type { AgentCall } from '../agentCall.ts';
import { checkedData } from '../checkedData.ts';
import { tellOtherRules } from '../meaning/tellOtherRules.ts';
import { withNames } from '../namedArguments.ts';
import { readAfterWrite } from '../readAfterWrite.ts';
import { defineHostedTool } from './defineHostedTool.ts';
import {
  agreementIdArgument,
  chainIdArgument,
  deploymentArguments,
  documentArgument,
  documentPlace,
  permitArguments,
  valuesArgument,
} from './hostedArguments.ts';

const signerName = { signer: 'signerAddress' };
const signatureNames = {
  'signature.v': 'signatureV',
  'signature.r': 'signatureR',
  'signature.s': 'signatureS',
};

const signing = { signerAddress: z.string(), deadline: z.int().nonnegative().optional() };

const prepareDeployment = defineHostedTool({
  name: 'prepare_deployment_typed_data',
  title: 'Prepare the typed data of a deployment',
  description:
    'The EIP-712 payload that the owner signs. Then deploy_agreement with the same arguments, the deadline, docUri and documentId of the answer, and the signature in its parts.',
  input: z.strictObject({
    agreement: documentArgument,
    chainId: z.int().positive(),
    ...signing,
    ...deploymentArguments,
    ...documentPlace,
  }),
  async handle({ signerAddress: signer, deadline, docUri, documentId, ...deployment }, call) {
    const checked = await call.ask('validateDeployment', { body: present(deployment) });
    const { variables, participants, observers, warnings } = checkedData(preflightShape, checked.data);
    const make = async (more: object) => {
      const body = present({ ...deployment, signer, deadline, docUri, documentId, ...more });
      const { data } = await withNames(signerName, call.ask('makeDeployTypedData', { body }));
      return checkedData(signableDeploymentShape, data);
    };
    const first = await make({});
    const isNamed = docUri !== undefined || documentId !== undefined;
    const named = { deadline: first.deadline, documentId: nameDocument({ ...deployment, signer, ...first }) };
    const signable = isNamed ? first : await make(named);
    return {
      ...describeSignable(signable, signer),
      docUri: signable.docUri,
      documentId: signable.documentId,
      normalizedInitValues: variables,
      normalizedParticipants: participants,
      normalizedObservers: observers,
      preflightWarnings: warnings,
      nextStep:
        'Sign typedData with the signer, then call deploy_agreement with the same agreement and chainId, normalizedInitValues as initValues, normalizedParticipants as participants, normalizedObservers as observers, docUri, documentId, signer, deadline, signatureV, signatureR, signatureS.',
    };
  },
});

const prepareInput = defineHostedTool({
  name: 'prepare_input_typed_data',
  title: 'Prepare the typed data of an input',
  description:
    'The EIP-712 payload that the issuer of an input signs. Then submit_input with the same values, the deadline of the answer, and the signature in its parts.',
  input: z.strictObject({
    agreementId: agreementIdArgument,
    inputId: z.string().min(1),
    values: valuesArgument,
    ...signing,
  }),
  async handle({ agreementId: id, inputId, values, signerAddress: signer, deadline }, call) {
    const body = present({ inputId, values, signer, deadline });
    const asked = call.ask('makeInputTypedData', { params: { id }, body });
    const { data } = await withNames(signerName, asked);
    return {
      ...present({ caution: await warn(call, id) }),
      ...describeSignable(checkedData(signableShape, data), signer),
      nextStep:
        'Sign typedData with the signer, then call submit_input with the same agreementId, inputId and values, and signer, deadline, signatureV, signatureR, signatureS.',
    };
  },
});

const deploy = (publicBaseUrl: string) =>
  defineHostedTool({
    name: 'deploy_agreement',
    title: 'Deploy an agreement',
    description:
      'Deploys an agreement with a permit that its owner has signed; prepare_deployment_typed_data returns the data to sign. Cannot be undone.',
    writes: true,
    input: z.strictObject({
      agreement: documentArgument,
      displayName: z.string().min(1),
      chainId: chainIdArgument,
      ...deploymentArguments,
      ...documentPlace,
      ...permitArguments,
    }),
    async handle({ signer, deadline, signatureV, signatureR, signatureS, ...deployment }, call) {
      const permit = requirePermit(
        { signer, deadline, signatureV, signatureR, signatureS },
        prepareTool.deploy,
      );
      const send = async (more: object) => {
        const body = present({ ...deployment, ...permit, ...more });
        return (await withNames(signatureNames, call.ask('deployWithPermit', { body }))).data;
      };
      const { docUri, documentId, agreement, chainId } = deployment;
      try {
        return await send({});
      } catch (error) {
        const isMismatch = error instanceof RefusedError && error.reason === 'signature_mismatch';
        if (!isMismatch || docUri !== undefined || documentId !== undefined) throw error;
        if (chainId === undefined || signer === undefined || deadline === undefined) throw error;
        // Callers of the hosted service omit which document their typed data was for.
        const name = nameDocument({ agreement, chainId, signer, deadline });
        return send(chooseHostedDocument({ documentId: name }, publicBaseUrl));
      }
    },
  });

const submit = defineHostedTool({
  name: 'submit_input',
  title: 'Submit an input',
  description:
    'Submits an input with a permit that its issuer has signed; prepare_input_typed_data returns the data to sign. Cannot be undone.',
  writes: true,
  input: z.strictObject({
    agreementId: agreementIdArgument,
    inputId: z.string().min(1),
    values: valuesArgument,
    ...permitArguments,
  }),
  async handle({ agreementId: id, inputId, values, ...parts }, call) {
    const permit = requirePermit(parts, prepareTool.input);
    const asked = call.ask('submitInput', { params: { id }, body: { inputId, values, ...permit } });
    const sent = await withNames(signatureNames, asked);
    const { consistency } = sent.meta;
    // Users of these tools read the state right after: it should show the input as soon as possible.
    await readAfterWrite(call, () => call.ask('getAgreementState', { params: { id }, consistency }));
    return sent.data;
  },
});

const prepareTool = { deploy: 'prepare_deployment_typed_data', input: 'prepare_input_typed_data' } as const;

type PermitParts = { readonly [Name in keyof typeof permitArguments]?: string | number | undefined };

/** @throws MalformedError that names the tool by which one gets a permit. */
function requirePermit(parts: PermitParts, tool: string) {
  const { signer, deadline, signatureV: v, signatureR: r, signatureS: s } = parts;
  const missing = (['signer', 'deadline', 'signatureV', 'signatureR', 'signatureS'] as const).filter(
    (name) => parts[name] === undefined,
  );
  if (missing.length === 0) return { signer, deadline, signature: { v, r, s } };
  throw new MalformedError(`A permit is needed: call ${tool}, and have its typedData signed.`, {
    issues: missing.map((path) => ({ path, message: 'is missing' })),
  });
}

function describeSignable(
  { domain, types, primaryType, message, deadline, nonce, digest }: z.output<typeof signableShape>,
  signerAddress: string,
) {
  const { chainId } = domain;
  const typedData = { domain, types, primaryType, message };
  return { typedData, signerAddress, chainId, deadline, nonce, digest };
}

/** Undefined also for a caller who may not read: these tools ask for no more than the hosted ones. */
async function warn(call: AgentCall, id: string): Promise<string | undefined> {
  try {
    const { data } = await call.ask('getAgreement', { params: { id } });
    return tellOtherRules(checkedData(recordShape, data));
  } catch (error) {
    if (error instanceof AccessError) return undefined;
    throw error;
  }
}

/**
 * A document's name derived from the deployment, its signer and its deadline, so that it can be found again
 * without being stored.
 */
function nameDocument(facts: {
  agreement: unknown;
  chainId: number;
  signer: string;
  deadline: number;
}): string {
  const { agreement, chainId, signer, deadline } = facts;
  const said = JSON.stringify([
    hashDocument(serializeAgreement(agreement)),
    chainId,
    signer.toLowerCase(),
    deadline,
  ]);
  return createHash('sha256').update(said).digest('hex').slice(0, 32);
}

export function listHostedSigning(publicBaseUrl: string) {
  return [prepareDeployment, prepareInput, deploy(publicBaseUrl), submit];
}
