/**
 * What is open to whom, by the names of the operations. A route that is not named here is closed to everybody but the principal's
 * own keys and whole sessions, so that a new one is.
 */

/** To everybody, without credentials. */
export const forAnybody = [
  'getHealth',
  'getOpenApi',
  'getDocs',
  'getEvidenceSchema',
  'createWalletChallenge',
];

/** To every key that is in force. */
export const forEveryKey = ['createSession'];

/** To every key and every session, whatever it is good for. */
export const forEveryPrincipal = ['getCurrentSession'];

/** To keys and whole sessions, whatever they are good for. */
export const forWholeSessions = [
  'listSessions',
  'revokeSession',
  'createPortalLink',
  'listPortalLinks',
  'revokePortalLink',
];

/** To every session alone. */
export const forEverySession = ['endCurrentSession'];

/** To keys and sessions that are good for the scope. */
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

/** To whoever has a signing link, and to the wallets of an agreement that lets its participants in. */
export const forReadingGuests = [
  'getSharedAgreement',
  'getSharedDocument',
  'getSharedState',
  'listSharedInputs',
  'getSharedEvidence',
];

/** The same where the link, or the agreement, is open for signing. */
export const forSigningGuests = ['makeSharedInputTypedData', 'submitSharedInput'];

/** The same where the guest is the owner of a draft. */
export const forOwningGuests = ['makeSharedDeployTypedData', 'deploySharedAgreement'];

/** To every wallet that has logged in. */
export const forEveryWallet = ['getWalletSession', 'listWalletAgreements', 'endWalletSession'];
