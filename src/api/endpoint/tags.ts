/** The groups of routes, in the order of the document. */
export const tags = {
  Authoring: 'Writing an agreement, and checking it before anything is signed.',
  Deployment: 'Bringing an agreement onto a chain, or taking over one that is there.',
  'Using agreements': 'Moving a deployed agreement by signed inputs.',
  'Agreement records': 'What became of the agreements of a principal.',
  'Agreement documents': 'The prose of agreements.',
  Webhooks: 'Being told of what happens, as it happens.',
  Events: 'The same, asked for.',
  Sharing: 'Letting others see and sign one agreement, without a key.',
  Sessions: 'Letting browsers in.',
  Wallets: 'Letting participants in by their wallets, without a key or a link.',
  System: 'The service itself; public.',
} as const;
export type Tag = keyof typeof tags;
