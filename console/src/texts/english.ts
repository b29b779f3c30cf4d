import { accessTexts } from './accessTexts.ts';
import { actTexts } from './actTexts.ts';
import { agreementTexts } from './agreementTexts.ts';
import { authorTexts } from './authorTexts.ts';
import { evidenceTexts } from './evidenceTexts.ts';
import { operatorTexts } from './operatorTexts.ts';
import { reasonTexts } from './reasonTexts.ts';
import { walletTexts } from './walletTexts.ts';
import { webhookTexts } from './webhookTexts.ts';

/**
 * All English texts. Functions take the variable parts of a sentence, so that each language has its own word
 * order.
 */
export const english = {
  brand: 'Agreements',
  skip: 'Skip to the content',
  menu: 'Menu',
  leave: 'Log out',
  loading: 'Loading…',
  copy: 'Copy',
  copied: 'Copied',
  more: 'Show more',
  unprinted: 'There is more, which is not printed here.',
  moreInterrupted: 'The list changed again while its next part was loading. Try again.',
  showAll: (n: number) => `Show all ${n.toLocaleString('en')}`,
  cancel: 'Cancel',
  all: 'All',
  yes: 'Yes',
  no: 'No',
  unknownPage: 'There is no such page.',
  explorer: (value: string) => `${value}, in a public explorer`,
  theme: { label: 'Colours', auto: 'System', light: 'Light', dark: 'Dark' },
  pages: {
    agreements: 'Agreements',
    author: 'Author',
    awaiting: 'Awaiting me',
    events: 'Events',
    webhooks: 'Webhooks',
    rules: 'Rules',
    keys: 'Access',
  },
  failure: {
    again: 'Try again',
    offline: 'This browser is offline. The page continues when the connection is back.',
    unreachable: 'The service does not answer. It may be starting, or the connection may be broken.',
    between: (status: number) =>
      `Something else answered for the service${status > 0 ? `, with status ${status}` : ''}.`,
    outdated:
      'A part of this page could not be loaded. The console may have been updated since you opened it.',
    reload: 'Reload the page',
    notLoaded: 'This page could not be loaded. Retrying while you wait.',
    requestId: (id: string) => `Request id, for the operator: ${id}`,
  },
  login: {
    title: 'Log in',
    ended: 'Your session has ended. Log in again to continue on this page.',
    lead: 'If you have a link, open it. Otherwise log in with an API key.',
    key: 'API key',
    keyHint: 'It is sent once and not stored in this browser.',
    enter: 'Log in',
    sessionLabel: 'Console',
    withWallet: 'Log in with a wallet, as a participant',
  },
  enter: {
    title: 'Opening the console',
    noLink: 'This address holds no link. It may have been cut off when it was copied.',
    toConsole: 'To the console',
    question: 'Use this link?',
    stranger:
      'You are logged in already, and this link is for another account. With the link you would see and change the data of that account. Continue only if you know who sent you the link.',
    narrower: 'You are logged in already, with more permissions than this link has.',
    present: 'Logged in as',
    offered: 'The link logs in as',
    label: 'Created for',
    stay: 'Keep my session',
    goOn: 'Log in with the link',
    replaced: 'If you log in with the link, your session ends. Otherwise the link stays unused.',
  },
  reasons: reasonTexts,
  agreements: agreementTexts.list,
  agreement: agreementTexts.one,
  evidence: evidenceTexts,
  diagram: agreementTexts.diagram,
  shared: agreementTexts.shared,
  links: agreementTexts.links,
  act: actTexts,
  wallet: walletTexts,
  author: authorTexts,
  webhooks: webhookTexts.list,
  webhook: webhookTexts.one,
  webhookCheck: webhookTexts.check,
  events: webhookTexts.events,
  keys: accessTexts.keys,
  awaiting: accessTexts.awaiting,
  rules: accessTexts.rules,
  operators: operatorTexts,
};
