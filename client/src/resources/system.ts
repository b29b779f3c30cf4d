import type { CallOptions, Transport } from '../http/transport.ts';
import type { AnswerOf, Health } from '../types.ts';

/** The service itself. These methods need no key. */
export class System {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  health(options?: CallOptions): Promise<Health> {
    return this.#transport.json<Health>({ path: '/health', options });
  }

  openApi(options?: CallOptions): Promise<AnswerOf<'getOpenApi'>> {
    return this.#transport.json<AnswerOf<'getOpenApi'>>({ path: '/openapi.json', options });
  }

  /** The JSON Schema of evidence files. */
  evidenceSchema(options?: CallOptions): Promise<object> {
    return this.#transport.json<object>({ path: '/evidence.schema.json', options });
  }

  /** The API reference, as a page. */
  docs(options?: CallOptions): Promise<string> {
    return this.#transport.text({ path: '/docs', accept: 'text/html', options });
  }
}
