import { type ClientOptions, createTransport } from './http/transport.ts';
import { Agreements } from './resources/agreements.ts';
import { Documents } from './resources/documents.ts';
import { Events } from './resources/events.ts';
import { Links } from './resources/links.ts';
import { Sessions } from './resources/sessions.ts';
import { Shared } from './resources/shared.ts';
import { System } from './resources/system.ts';
import { Wallet } from './resources/wallet.ts';
import { Webhooks } from './resources/webhooks.ts';

/**
 * All operations of the service, by resource. Each method is one operation of the OpenAPI document. It fails
 * with an `AgreementsError`: an `ApiError` if the service refused, a `ConnectionError` if no answer came.
 *
 * @example
 * const client = new AgreementsClient({ baseUrl: 'http://127.0.0.1:3000', apiKey: 'agk_test_…' });
 * const { state } = await client.agreements.getState('agr_…');
 */
export class AgreementsClient {
  readonly agreements: Agreements;
  readonly documents: Documents;
  readonly webhooks: Webhooks;
  readonly events: Events;
  readonly links: Links;
  readonly shared: Shared;
  readonly sessions: Sessions;
  readonly wallet: Wallet;
  readonly system: System;

  /** @throws TypeError for options that no call can be made with. */
  constructor(options: ClientOptions) {
    const transport = createTransport(options);
    this.agreements = new Agreements(transport);
    this.documents = new Documents(transport);
    this.webhooks = new Webhooks(transport);
    this.events = new Events(transport);
    this.links = new Links(transport);
    this.shared = new Shared(transport);
    this.sessions = new Sessions(transport);
    this.wallet = new Wallet(transport);
    this.system = new System(transport);
  }
}
