import { isJsonObject } from '../../protocol/jsonCursor.ts';
import {
  type DeploymentRules,
  refuseAgreement,
  requireAgreement,
  requireChain,
} from '../agreements/checkDeployment.ts';
import { type Issue, MalformedError, RefusedError } from '../errors/serviceError.ts';
import { agreementShape, chainIdShape, observersShape, participantsShape, valuesShape } from './shapes.ts';

/** The part that preflight and deployment have in common. */
export const deploymentMembers = {
  agreement: agreementShape,
  chainId: chainIdShape,
  initValues: valuesShape.optional(),
  participants: participantsShape.optional(),
  observers: observersShape.optional(),
};

/** Parts of a body whose faults have a reason of their own, in the order in which deployments are checked. */
const reasonByPart = {
  initValues: 'invalid_values',
  participants: 'invalid_participants',
  observers: 'invalid_participants',
  notificationTemplate: 'invalid_notification_template',
} as const;

/**
 * Makes the error for a deployment whose body has faults of shape: malformed in general, and where all faults are in parts that
 * have a reason of their own, the first reason, unless chain or document are at fault before that.
 */
export function refuseDeploymentBody(rules: DeploymentRules): (issues: Issue[], body: unknown) => Error {
  return (issues, body) => {
    const byPart = Map.groupBy(issues, ({ path }) => path.split('.', 1)[0] ?? '');
    const { agreement, chainId } = isJsonObject(body) ? body : {};
    const areKnown = [...byPart.keys()].every((part) => part === 'agreement' || part in reasonByPart);
    if (!areKnown || agreement === undefined || typeof chainId !== 'number')
      return new MalformedError('The body is not as expected.', { issues });
    requireChain(chainId, rules);
    const ofAgreement = byPart.get('agreement');
    if (ofAgreement) return refuseAgreement(ofAgreement);
    requireAgreement(agreement, rules.limits);
    const [first] = Object.entries(reasonByPart).filter(([part]) => byPart.has(part));
    if (!first) return new MalformedError('The body is not as expected.', { issues });
    const [field, reason] = first;
    const message = 'The body is not as expected.';
    const parts = Object.entries(reasonByPart).filter(([, other]) => other === reason);
    const listed = parts.flatMap(([part]) => byPart.get(part) ?? []);
    return new RefusedError(reason, message, { field, issues: listed });
  };
}
