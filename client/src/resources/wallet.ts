import { Paged } from '../http/paged.ts';
import type { CallOptions, Transport } from '../http/transport.ts';
import type { AnswerOf, BodyOf, PageQuery, WalletAgreement } from '../types.ts';
import { Shared } from './shared.ts';

/**
 * The view of a participant logged in with a wallet: for pages of the service's own origin, with a client
 * that has `session`.
 */
export class Wallet {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The message that the wallet signs with personal_sign. */
  createChallenge(body: BodyOf<'createWalletChallenge'>, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'createWalletChallenge'>>({
      path: '/wallet/challenges',
      body,
      options,
    });
  }

  /** Logs in. The cookie stays in the browser. */
  login(body: BodyOf<'createWalletSession'>, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'createWalletSession'>>({
      path: '/wallet/sessions',
      body,
      options,
    });
  }

  current(options?: CallOptions) {
    return this.#transport.data<AnswerOf<'getWalletSession'>>({
      path: '/wallet/sessions/current',
      options,
    });
  }

  logout(options?: CallOptions) {
    return this.#transport.data<AnswerOf<'endWalletSession'>>({
      method: 'DELETE',
      path: '/wallet/sessions/current',
      options,
    });
  }

  /** The agreements that let the wallet in, with its possible inputs in each. */
  listAgreements(query: PageQuery = {}, options?: CallOptions): Paged<WalletAgreement> {
    const { cursor: first, ...rest } = query;
    return new Paged((cursor = first) =>
      this.#transport.json<AnswerOf<'listWalletAgreements'>>({
        path: '/wallet/agreements',
        query: { ...rest, cursor },
        options,
      }),
    );
  }

  /** One of these agreements, for reading and acting. */
  open(agreementId: string): Shared {
    return new Shared(this.#transport, agreementId);
  }
}
