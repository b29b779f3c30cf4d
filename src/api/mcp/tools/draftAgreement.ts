import { z } from 'zod';
import { RefusedError } from '../../../platform/errors/serviceError.ts';
import { preflightShape, templateReportShape } from '../../shapes/resources.ts';
import { chainIdArgument, deploymentArguments, documentArgument, valuesArgument } from '../agentArguments.ts';
import type { AgentCall } from '../agentCall.ts';
import { maxTokensArgument, omittedMember } from '../answerSize.ts';
import { checkedData } from '../checkedData.ts';
import { defineTool, readOnly } from '../defineTool.ts';
import { quoteNames } from '../quotedData.ts';

const input = z.strictObject({
  agreement: documentArgument,
  chainId: chainIdArgument.describe('If given, the deployment is checked too'),
  ...deploymentArguments,
  notificationTemplate: valuesArgument.optional().describe('Notification rules to check'),
  maxTokens: maxTokensArgument,
});

const names = z.array(z.string());
const problems = z.array(z.object({ path: z.string(), message: z.string() }));

const output = z.object({
  valid: z.boolean().describe('Whether the document can be deployed as it is'),
  reason: z.string().optional(),
  problems,
  quotedTemplateId: z.string().nullable().optional(),
  participantVariables: names.optional(),
  inputIds: names.optional(),
  stateIds: names.optional(),
  finalStates: names.optional(),
  warnings: names.optional(),
  findings: z
    .array(
      z.object({
        kind: z.string(),
        path: z.string(),
        about: z.string().optional(),
        message: z.string().optional(),
        example: names
          .optional()
          .describe('An example: the inputs that lead to the finding, in order from the deployment'),
      }),
    )
    .optional()
    .describe('What the document as a whole cannot do: dead ends, inputs nobody can send, …'),
  deployment: z
    .object({
      ready: z.boolean(),
      reason: z.string().optional(),
      problems,
      quotedValues: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  omitted: omittedMember,
});

type Args = z.output<typeof input>;
type Report = z.output<typeof templateReportShape>;

const faults = [
  'endlessStates',
  'unsendableInputs',
  'unsetVariables',
  'contradictoryBounds',
  'shadowedTransitions',
] as const;

export const draftAgreement = defineTool({
  name: 'draft_agreement',
  title: 'Check a draft',
  description:
    'Checks an agreement document while it is being written: every mistake with its path, warnings, and an analysis of what it can and cannot do. With chainId it also checks the deployment: values and wallets. Nothing is stored. Call it again until valid is true and deployment.ready is true, then prepare_signature.',
  annotations: readOnly,
  input,
  output,
  async handle(args, call) {
    const checked = await check(() => call.ask('validateTemplate', { body: args.agreement }));
    if (!checked.ok) {
      const { reason, problems } = checked;
      return {
        text: `Not valid: ${problems.length} problems, each with its path in the data. Fix them and check again.`,
        data: { valid: false, reason, problems },
        maxTokens: args.maxTokens,
      };
    }
    const report = checkedData(templateReportShape, checked.data);
    const deployment = args.chainId === undefined ? undefined : await checkDeployment(args, call);
    const findings = listFindings(report);
    return {
      text: tell(report, { findings: findings.length, deployment }),
      data: {
        valid: true,
        problems: [],
        quotedTemplateId: report.templateId,
        participantVariables: report.participantVariableKeys,
        inputIds: report.inputIds,
        stateIds: report.stateIds,
        finalStates: report.analysis.finalStates.flatMap(({ state }) => state ?? []),
        warnings: report.warnings,
        findings,
        ...(deployment && { deployment }),
      },
      maxTokens: args.maxTokens,
    };
  },
});

type Checked =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly reason: string; readonly problems: { path: string; message: string }[] };

/** A draft's faults are the requested answer, not an error of the tool. */
async function check(ask: () => Promise<{ data: unknown }>): Promise<Checked> {
  try {
    return { ok: true, data: (await ask()).data };
  } catch (error) {
    if (!(error instanceof RefusedError) || !error.reason.startsWith('invalid_')) throw error;
    const { reason, message, issues = [{ path: '', message }] } = error;
    return {
      ok: false,
      reason,
      problems: issues.map(({ path, message: fault }) => ({ path, message: fault })),
    };
  }
}

async function checkDeployment({ maxTokens: _room, ...body }: Args, call: AgentCall) {
  const checked = await check(() => call.ask('validateDeployment', { body }));
  if (!checked.ok) return { ready: false, reason: checked.reason, problems: checked.problems };
  return { ready: true, problems: [], quotedValues: checkedData(preflightShape, checked.data).variables };
}

function listFindings({ analysis }: Report) {
  return faults.flatMap((kind) =>
    analysis[kind].map(({ path, message, state, inputId, variable, example }) => {
      const about = state ?? inputId ?? variable;
      return {
        kind,
        path,
        ...(about !== undefined && { about }),
        ...(message !== undefined && { message }),
        ...(example && { example }),
      };
    }),
  );
}

function tell(
  { participantVariableKeys, inputIds, stateIds, warnings }: Report,
  facts: { findings: number; deployment: { ready: boolean; problems: readonly unknown[] } | undefined },
): string {
  const { findings, deployment } = facts;
  const parts = [
    `The document is valid: ${stateIds.length} states, ${inputIds.length} inputs, ${participantVariableKeys.length === 0 ? 'no participants' : `participants ${quoteNames(participantVariableKeys)}`}.`,
    `${warnings.length} warnings, ${findings} findings of the analysis.`,
  ];
  if (!deployment) parts.push('Give chainId, participants and initValues to check a deployment.');
  else if (deployment.ready) parts.push('The deployment is ready: prepare_signature is next.');
  else parts.push(`The deployment is not ready: ${deployment.problems.length} problems.`);
  return parts.join(' ');
}
