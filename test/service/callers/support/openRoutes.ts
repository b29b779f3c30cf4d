/**
 * The open routes of each kind of caller, by operation name. A route not listed here is closed to all callers
 * except the principal's own keys and full sessions, so a new route starts closed.
 */

/** Open to everybody, without credentials. */
export const forAnybody = [
  'getHealth',
  'getOpenApi',
  'getDocs',
  'getEvidenceSchema',
  'createWalletChallenge',
];

/** Open to every valid key. */
export const forEveryKey = ['createSession'];

/** Open to every key and every session, whatever their scopes. */
export const forEveryPrincipal = ['getCurrentSession'];

/** Open to keys and full sessions, whatever their scopes. */
export const forWholeSessions = [
  'listSessions',
  'revokeSession',
  'createPortalLink',
  'listPortalLinks',
  'revokePortalLink',
];

/** Open to sessions only. */
export const forEverySession = ['endCurrentSession'];

/** Open to keys and sessions that have the scope. */
export const byScope = {
  'agreements.read': [
    'listAgreements',
    'getAgreement',
    'getAgreementState',
    'listAgreementInputs',
    'getAgreementDocument',
    'getAgreementEvidence',
    'simulateRecord',
    'previewNotifications',
  ],
  'agreements.write': [
    'validateTemplate',
    'validateDeployment',
    'simulateAgreement',
    'makeDeployTypedData',
    'deployWithPermit',
    'createDraft',
    'withdrawDraft',
    'importAgreement',
    'makeInputTypedData',
    'submitInput',
    'updateAgreement',
    'createSigningLink',
    'listSigningLinks',
    'revokeSigningLink',
  ],
  'webhooks.read': ['listWebhooks', 'getWebhook', 'listWebhookDeliveries', 'listEvents', 'streamEvents'],
  'webhooks.write': [
    'createWebhook',
    'updateWebhook',
    'disableWebhook',
    'testWebhook',
    'redeliverWebhook',
    'recoverWebhook',
    'rotateWebhookSecret',
  ],
} as const;

/** Open to holders of a signing link, and to the wallets of an agreement that lets its participants in. */
export const forReadingGuests = [
  'getSharedAgreement',
  'getSharedDocument',
  'getSharedState',
  'listSharedInputs',
  'getSharedEvidence',
];

/** The same callers, if the link or the agreement allows signing. */
export const forSigningGuests = ['makeSharedInputTypedData', 'submitSharedInput'];

/** The same callers, if the guest is the owner of a draft. */
export const forOwningGuests = ['makeSharedDeployTypedData', 'deploySharedAgreement'];

/** Open to every logged-in wallet. */
export const forEveryWallet = ['getWalletSession', 'listWalletAgreements', 'endWalletSession'];
