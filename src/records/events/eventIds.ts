import { createHmac, createSecretKey } from 'node:crypto';
import type { Hex } from 'viem';

/** An input that changed an agreement's state, by its place on the chain, which no reorg changes. */
export type TransitionPlace = {
  chainId: number;
  /** The contract; upper and lower case are the same. */
  agreement: string;
  transactionHash: Hex;
  /** Counts the agreement's inputs within the transaction from 0. */
  ordinal: number;
};

/**
 * A deployment that made a record Deployed. If the transaction is mined again, its agreement may get another
 * address.
 */
export type DeploymentPlace = { chainId: number; recordId: string; transactionHash: Hex };

/** A firing of a rule for one recipient; the occasion distinguishes firings of one rule for one record. */
export type NotificationPlace = { recordId: string; ruleId: string; recipient: string; occasion: string };

type Of<Place> = Place & { principalId: string };

/** Derives event ids from the content: always the same, in every process, and impossible to guess. */
export type EventIds = {
  ofTransition(place: Of<TransitionPlace>): string;
  ofDeployment(place: Of<DeploymentPlace>): string;
  ofNotification(place: Of<NotificationPlace>): string;
};

/** @param secret of the installation; another secret gives different ids. */
export function createEventIds(secret: Buffer): EventIds {
  // A secret as bytes is made into such an object for each id.
  const key = createSecretKey(secret);
  const idOf = (kind: string, principalId: string, parts: readonly (string | number)[]) => {
    const text = JSON.stringify([kind, principalId, ...parts]);
    return `evt_${createHmac('sha256', key).update(text).digest('hex')}`;
  };
  return {
    ofTransition: ({ principalId, ...place }) => idOf('transition', principalId, [transitionIdentity(place)]),
    ofDeployment: ({ principalId, ...place }) => idOf('deployment', principalId, [deploymentIdentity(place)]),
    ofNotification: ({ principalId, recordId, ruleId, recipient, occasion }) =>
      idOf('notification', principalId, [recordId, ruleId, recipient, occasion]),
  };
}

/** A unique name of a transition, for deriving other names; not a secret. */
export function transitionIdentity({
  chainId,
  agreement,
  transactionHash,
  ordinal,
}: TransitionPlace): string {
  return JSON.stringify([chainId, agreement.toLowerCase(), transactionHash.toLowerCase(), ordinal]);
}

/** A unique name of a deployment, for deriving other names; not a secret. */
export function deploymentIdentity({ chainId, recordId, transactionHash }: DeploymentPlace): string {
  return JSON.stringify([chainId, recordId, transactionHash.toLowerCase()]);
}
