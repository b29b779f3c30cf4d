import type { z } from '@hono/zod-openapi';
import { malformed } from '../../platform/errors/serviceError.ts';
import { leaveTurn } from '../../platform/turns/leaveTurn.ts';
import type { Issue } from '../../protocol/errors.ts';
import { listIssues } from '../../protocol/issueList.ts';
import { isJsonObject } from '../../protocol/jsonCursor.ts';
import {
  type DeploymentRules,
  refuseAgreement,
  refusePart,
  requireChain,
  requireTemplate,
  requireValuesBefore,
} from '../agreements/checkDeployment.ts';
import {
  agreementShape,
  chainIdShape,
  docUriShape,
  documentIdShape,
  maxParties,
  notificationTemplateShape,
  observersShape,
  participantAccessShape,
  participantsShape,
  valuesShape,
} from './shapes.ts';

/** The common part of preflight and deployment. */
export const deploymentMembers = {
  agreement: agreementShape,
  chainId: chainIdShape,
  initValues: valuesShape.optional(),
  participants: participantsShape.optional(),
  observers: observersShape.optional(),
};

/** The other stored members of a record, however its deployment is signed. */
export const recordMembers = {
  docUri: docUriShape.optional(),
  documentId: documentIdShape.optional(),
  notificationTemplate: notificationTemplateShape.optional(),
  participantAccess: participantAccessShape.optional(),
};

/** Why a deployment is refused, in the order of the checks. */
export const recordRefusals = [
  'unsupported_chain',
  'quota_exceeded',
  'storage_exceeded',
  'invalid_agreement',
  'invalid_values',
  'invalid_participants',
  'invalid_notification_template',
  'document_id_taken',
] as const;

/** Parts of a body whose faults have a reason of their own. */
const reasonByPart = {
  initValues: 'invalid_values',
  participants: 'invalid_participants',
  observers: 'invalid_participants',
  notificationTemplate: 'invalid_notification_template',
} as const;
/** In the order in which deployments are checked. */
const reasons = ['invalid_values', 'invalid_participants', 'invalid_notification_template'] as const;

/**
 * Creates the error for a malformed deployment body. If all faults are in parts with a reason of their own,
 * it is the first such reason, unless chain, document or values are faulty before it. Otherwise the body is
 * malformed.
 */
export function refuseDeploymentBody(
  rules: DeploymentRules,
  { shape }: z.ZodObject,
): (issues: readonly Issue[], body: unknown) => Promise<Error> {
  return async (issues, body) => {
    const byPart = Map.groupBy(issues, ({ path }) => path.split('.', 1)[0] ?? '');
    const { agreement, chainId, initValues, participants } = isJsonObject(body) ? body : {};
    // An issue without a path says that there are more.
    const areKnown = [...byPart.keys()].every(
      (part) => part === '' || (part in shape && (part === 'agreement' || part in reasonByPart)),
    );
    if (!areKnown || agreement === undefined || typeof chainId !== 'number') return malformed('body', issues);
    requireChain(chainId, rules);
    const ofAgreement = byPart.get('agreement');
    if (ofAgreement) return refuseAgreement(ofAgreement);
    const startedAt = performance.now();
    requireTemplate(agreement, rules.limits);
    const reason = reasons.find((candidate) => partsOf(candidate).some((part) => byPart.has(part)));
    if (!reason) return malformed('body', issues);
    const ofParts = partsOf(reason).flatMap((part) => byPart.get(part) ?? []);
    if (reason !== 'invalid_values' && 'initValues' in shape) {
      // As for a well-formed body, other requests run in between.
      await leaveTurn(startedAt);
      const areParticipantsMalformed = byPart.has('participants');
      // A body of the greatest length holds very many more.
      const first = Array.isArray(participants) ? participants.slice(0, maxParties) : participants;
      const parts = { agreement, initValues, participants: first };
      const before = requireValuesBefore(parts, { ...rules, areParticipantsMalformed });
      if (reason === 'invalid_participants') return refusePart(reason, listIssues([...ofParts, ...before]));
      if (before.length > 0) return refusePart('invalid_participants', before);
    }
    return refusePart(reason, ofParts);
  };
}

function partsOf(reason: (typeof reasons)[number]): string[] {
  return Object.entries(reasonByPart).flatMap(([part, other]) => (other === reason ? [part] : []));
}
