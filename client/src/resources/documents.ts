import type { ReadOptions, Transport } from '../http/transport.ts';
import type { AnswerOf } from '../types.ts';

const documentPath = '/agreements/documents/{documentId}';

/** The hosted texts of agreements, with the current values filled in. */
export class Documents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(documentId: string, options?: ReadOptions) {
    return this.#transport.data<AnswerOf<'getAgreementDocument'>>({
      path: documentPath,
      ids: { documentId },
      options,
    });
  }

  /** Only the text: `html` is a whole, sanitised page. */
  getText(documentId: string, type: 'html' | 'markdown', options?: ReadOptions): Promise<string> {
    return this.#transport.text({
      path: documentPath,
      ids: { documentId },
      accept: `text/${type}`,
      options,
    });
  }
}
