/** The groups of routes, in the order of the document. */
export const tags = {
  Authoring: 'Write an agreement and check it before signing.',
  Deployment: 'Deploy an agreement, or import one that is already on a chain.',
  'Using agreements': 'Advance a deployed agreement with signed inputs.',
  'Agreement records': 'Read the agreements of a principal and their history.',
  'Agreement documents': 'Read the text of agreements.',
  Webhooks: 'Receive events as they happen.',
  Events: 'Read or follow the same events in a feed.',
  Sharing: 'Let people without an API key read and sign one agreement.',
  Sessions: 'Sign in browsers.',
  Wallets: 'Sign in participants with their wallets, without an API key or link.',
  System: 'Health and API documents. Public.',
} as const;
export type Tag = keyof typeof tags;
