import type { Address } from 'viem';
import type { ChainConfiguration } from '../../platform/config/configuration.ts';
import type { Limits } from '../../platform/config/limits.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { PayloadTooLargeError } from '../../platform/http/requestErrors.ts';
import { leaveTurn } from '../../platform/turns/leaveTurn.ts';
import {
  type AgreementLimits,
  type AgreementReport,
  type DeployIssue,
  type Issue,
  resolveDeployValues,
  validateAgreement,
  type WireValues,
  warnOfUnsignedValues,
} from '../../protocol/index.ts';
import { listIssues } from '../../protocol/issueList.ts';
import { isJsonObject } from '../../protocol/jsonCursor.ts';
import type { Participant } from '../../protocol/participants.ts';
import {
  checkNotificationTemplate,
  type TemplateFacts,
} from '../../records/rules/checkNotificationTemplate.ts';

/** A deployment without its permit. Document and values are as parsed. */
export type DeploymentRequest = {
  readonly agreement: unknown;
  readonly chainId: number;
  readonly initValues?: unknown;
  readonly participants?: unknown;
  readonly observers?: readonly string[] | undefined;
  /** As it was parsed. */
  readonly notificationTemplate?: unknown;
};

/** A deployment that is ready to be signed. */
export type CheckedDeployment = {
  readonly chain: ChainConfiguration;
  readonly templateId: string;
  readonly participantVariableKeys: readonly string[];
  readonly warnings: readonly Issue[];
  /** Effective values of all variables that have one. */
  readonly values: WireValues;
  readonly participants: readonly Participant[];
  readonly contributors: readonly Address[];
  readonly observers: readonly string[];
};

export type DeploymentRules = {
  readonly chains: readonly ChainConfiguration[];
  readonly limits: Limits;
  readonly isMailConfigured: boolean;
};

/**
 * Checks everything about a deployment that needs neither permit nor chain.
 *
 * @throws RefusedError for the chain, the document, the values, the participants or the notification template, in this order and
 * each with all its issues.
 */
export async function checkDeployment(
  request: DeploymentRequest,
  rules: DeploymentRules,
): Promise<CheckedDeployment> {
  const { agreement, initValues, participants, observers = [] } = request;
  const chain = requireChain(request.chainId, rules);
  const startedAt = performance.now();
  const { templateId, participantVariableKeys, warnings } = requireTemplate(agreement, rules.limits);
  // The largest documents take tens of milliseconds per step, so other requests run in between.
  await leaveTurn(startedAt);
  const tooMany = listTooManyParties(request, rules.limits);
  if (tooMany.length > 0) {
    const first = Array.isArray(participants) ? participants.slice(0, rules.limits.parties) : participants;
    const parts = { agreement, initValues, participants: first };
    const areParticipantsMalformed = tooMany.some(({ path }) => path === 'participants');
    const before = requireValuesBefore(parts, { limits: rules.limits, areParticipantsMalformed });
    throw refusePart('invalid_participants', listIssues([...tooMany, ...before]));
  }
  const { issues, ...resolved } = resolveDeployValues({ agreement, initValues, participants }, rules.limits);
  requireParts(issues);
  const distinct = [...new Set(observers)];
  const ofTemplate = checkTemplate(request, {
    isMailConfigured: rules.isMailConfigured,
    limits: rules.limits.rules,
    parties: { participants: resolved.participants, observers: distinct },
    valueBytes: Buffer.byteLength(JSON.stringify(resolved.values)),
  });
  return {
    chain,
    templateId,
    participantVariableKeys,
    warnings: [...warnings, ...warnOfUnsignedValues(request), ...ofTemplate],
    ...resolved,
    observers: distinct,
  };
}

/**
 * Checks the values of a deployment with a malformed part after them. Without well-formed participants only the given values count:
 * a missing one may be the wallet of a participant.
 *
 * @returns the issues of well-formed participants.
 * @throws RefusedError `invalid_values`.
 */
export function requireValuesBefore(
  {
    agreement,
    initValues,
    participants,
  }: Pick<DeploymentRequest, 'agreement' | 'initValues' | 'participants'>,
  {
    limits,
    areParticipantsMalformed,
  }: { readonly limits: Limits; readonly areParticipantsMalformed: boolean },
): readonly Issue[] {
  const { issues } = resolveDeployValues({ agreement, initValues, participants }, limits);
  const names = isJsonObject(initValues) ? Object.keys(initValues) : [];
  const given = new Set(['initValues', ...names.map((name) => `initValues.${name}`)]);
  const counted = areParticipantsMalformed ? issues.filter(({ path }) => given.has(path)) : issues;
  const ofReason = Map.groupBy(counted, ({ reason }) => reason);
  requireParts(ofReason.get('invalid_values') ?? []);
  return ofReason.get('invalid_participants') ?? [];
}

function requireParts(issues: readonly DeployIssue[]): void {
  for (const reason of ['invalid_values', 'invalid_participants'] as const) {
    const ofReason = issues.filter((issue) => issue.reason === reason);
    if (ofReason.length > 0) throw refusePart(reason, ofReason);
  }
}

/**
 * @returns the warnings.
 * @throws RefusedError `invalid_notification_template` with all issues.
 */
function checkTemplate(
  { agreement, notificationTemplate }: DeploymentRequest,
  facts: Omit<TemplateFacts, 'agreement'>,
): readonly Issue[] {
  if (notificationTemplate === undefined) return [];
  const { issues, warnings } = checkNotificationTemplate(notificationTemplate, { agreement, ...facts });
  if (issues.length > 0) throw refusePart('invalid_notification_template', issues);
  return warnings;
}

/** @throws RefusedError `invalid_agreement` as `requireAgreement` does, and for a document that names no template. */
export function requireTemplate(
  agreement: unknown,
  limits: Limits,
): AgreementReport & { readonly templateId: string } {
  const report = requireAgreement(agreement, limits);
  const { templateId } = report;
  if (templateId !== null) return { ...report, templateId };
  const path = 'agreement.metadata.templateId';
  throw refuseAgreement([{ path, message: 'is missing, and metadata.id is missing too' }]);
}

/** @throws RefusedError `invalid_participants` for more participants or observers than an agreement may have. */
export function requireParties(
  parties: Pick<DeploymentRequest, 'participants' | 'observers'>,
  limits: Limits,
): void {
  const issues = listTooManyParties(parties, limits);
  if (issues.length > 0) throw refusePart('invalid_participants', issues);
}

function listTooManyParties(
  parties: Pick<DeploymentRequest, 'participants' | 'observers'>,
  limits: Limits,
): readonly Issue[] {
  return (['participants', 'observers'] as const).flatMap((path) => {
    const given = parties[path];
    if (!Array.isArray(given) || given.length <= limits.parties) return [];
    return [{ path, message: `must have no more than ${limits.parties} items` }];
  });
}

/** @throws RefusedError `unsupported_chain` for any but the followed chains. */
export function requireChain(chainId: number, { chains }: DeploymentRules): ChainConfiguration {
  const chain = chains.find((candidate) => candidate.chainId === chainId);
  if (chain) return chain;
  throw refuseChain(chainId, { chains, message: 'unsupported agreement.chainId' });
}

export function refuseChain(
  chainId: number,
  { chains, message }: { chains: readonly ChainConfiguration[]; message: string },
): RefusedError {
  const supportedChainIds = chains.map((candidate) => candidate.chainId);
  return new RefusedError('unsupported_chain', message, {
    field: 'chainId',
    facts: { chainId, supportedChainIds },
  });
}

/**
 * Every document enters here: all later steps rely on its being within the limits.
 *
 * @throws PayloadTooLargeError for a document with too many bytes.
 * @throws RefusedError `invalid_agreement` with what makes the document unusable, up to a hundred issues.
 */
export function requireAgreement(agreement: unknown, limits: Limits, root = 'agreement'): AgreementReport {
  const report = validateAgreement(agreement, agreementLimits(limits));
  if (report.isTooLong) {
    const limitBytes = limits.agreementBytes;
    const message = `The agreement must not have more than ${limitBytes} bytes.`;
    throw new PayloadTooLargeError(message, { limitBytes, ...(root !== '' && { field: root }) });
  }
  if (report.issues.length > 0) throw refuseAgreement(below(root, report.issues));
  return { ...report, warnings: below(root, report.warnings) };
}

/** The installation's limits under the protocol's names. */
export function agreementLimits(limits: Limits): AgreementLimits {
  return {
    states: limits.agreementItems,
    inputs: limits.agreementItems,
    transitions: limits.agreementItems,
    variables: limits.agreementVariables,
    fieldsPerInput: limits.inputFields,
    fields: limits.agreementFields,
    actions: limits.agreementActions,
    patterns: limits.agreementPatterns,
    nameBytes: limits.nameBytes,
    jsonBytes: limits.agreementBytes,
    nesting: limits.agreementNesting,
  };
}

export function refuseAgreement(issues: readonly Issue[]): RefusedError {
  return new RefusedError('invalid_agreement', 'The agreement is not valid.', { field: 'agreement', issues });
}

/** A part of a deployment besides its document, by the reason for refusing it. */
const parts = {
  invalid_values: { fields: ['initValues'], message: 'The initial values do not match the agreement.' },
  invalid_participants: {
    fields: ['participants', 'observers'],
    message: 'The participants or observers are not valid.',
  },
  invalid_notification_template: {
    fields: ['notificationTemplate'],
    message: 'The notification template is not valid.',
  },
} as const satisfies Record<string, { fields: readonly [string, ...string[]]; message: string }>;

export function refusePart(reason: keyof typeof parts, issues: readonly Issue[]): RefusedError {
  const { fields, message } = parts[reason];
  const atFault = new Set<string | undefined>(issues.map(({ path }) => path.split('.', 1)[0]));
  const field = fields.find((name) => atFault.has(name)) ?? fields[0];
  const listed = issues.map(({ path, message: fault }) => ({ path, message: fault }));
  return new RefusedError(reason, message, { field, issues: listed });
}

/** Issues of a part, with paths from the root of the request. */
function below(root: string, issues: readonly Issue[]): Issue[] {
  return issues.map(({ path, message }) => ({
    path: [root, path].filter((part) => part !== '').join('.'),
    message,
  }));
}
