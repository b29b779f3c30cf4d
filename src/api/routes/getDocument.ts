import { z } from '@hono/zod-openapi';
import { costOf, noteReadBytes } from '../../platform/http/readCost.ts';
import type { Services } from '../../records/agreements/services.ts';
import { fillTemplate } from '../../records/documents/fillTemplate.ts';
import { chooseForm } from '../documents/chooseForm.ts';
import type { HostedDocument } from '../documents/hostedDocument.ts';
import { pageHeaders } from '../documents/pagePolicy.ts';
import type { PageRenderer } from '../documents/pageRenderer.ts';
import { readDocument } from '../documents/readDocument.ts';
import type { Reader } from '../documents/renderQueue.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondRevalidated } from '../http/revalidation.ts';
import { exampleStory } from '../openapi/exampleStory.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { recordShape } from '../shapes/resources.ts';

const { address, chainId, displayName, docUri, updatedAt, onChain } = recordShape.shape;
export const documentShape = z
  .object({
    documentId: z.string(),
    docUri,
    agreementId: z.string(),
    agreementAddress: address,
    chainId,
    displayName,
    contentType: z
      .string()
      .openapi({ description: 'As authored. `md` if the document does not declare it.', example: 'md' }),
    content: z.string().openapi({
      description:
        'The text with effective values filled in. A value not known yet is shown as its name in brackets.',
    }),
    docHash: onChain.shape.docHash,
    updatedAt,
  })
  .openapi('HostedDocument');

export const documentParts = {
  body: noBody,
  data: {
    schema: documentShape,
    description: 'The document.',
    otherForms: ['text/html', 'text/markdown'],
    isRevalidated: true,
  },
  refusals: [400, 404],
} as const;

export function getDocument({ reads }: Services, pages: PageRenderer): Endpoint {
  return defineEndpoint({
    ...documentParts,
    method: 'get',
    path: '/v0/agreements/documents/{documentId}',
    operationId: 'getAgreementDocument',
    tag: 'Agreement documents',
    summary: 'Read the text of an agreement',
    description:
      'The `Accept` header selects JSON, `text/markdown` for the text alone, or `text/html` for a sanitized page. Any other value returns JSON.',
    scope: 'agreements.read',
    params: z.strictObject({ documentId: z.string() }),
    query: none,
    example: {
      params: { documentId: exampleStory.documentId },
      after: [{ operationId: 'deployWithPermit', params: { documentId: '/data/documentId' } }],
    },
    handle({ params, caller, headers, requestId, readAfter, inPageTurn }) {
      const { principalId } = caller;
      const read = () => reads.run(readAfter, (pool) => readDocument(pool, { ...params, principalId }));
      return respondDocument(read, {
        ...{ pages, headers, requestId, inPageTurn },
        reader: { name: principalId, turn: principalId },
      });
    },
  });
}

/**
 * A document in the requested form. It is read, written and rendered in the turn of its owner, or of the owner's guests.
 */
export async function respondDocument(
  read: () => Promise<HostedDocument>,
  request: {
    readonly pages: PageRenderer;
    readonly headers: Headers;
    readonly requestId: string;
    readonly reader: Reader;
    inPageTurn<Page extends object>(read: () => Promise<Page>): Promise<Page>;
  },
): Promise<Response> {
  const { pages, headers, requestId, reader, inPageTurn } = request;
  const form = chooseForm(headers.get('accept'));
  const ifNoneMatch = headers.get('if-none-match');
  if (form === 'html') {
    const content = await pages.render(await inPageTurn(read), reader);
    const page = new Response(content, { headers: pageHeaders });
    return respondRevalidated(page, { requestId, ifNoneMatch, content });
  }
  return inPageTurn(async () => {
    const document = await read();
    const content = writeDocument(document, form);
    const response =
      form === 'json'
        ? respondSingle({ requestId, dataText: content })
        : new Response(content, { headers: markdownHeaders });
    const readBytes = costOf(document) + Buffer.byteLength(content);
    return noteReadBytes(respondRevalidated(response, { requestId, ifNoneMatch, content }), readBytes);
  });
}

const markdownHeaders = { 'content-type': 'text/markdown; charset=utf-8' };

/** Only the text, or the text with all related data. */
function writeDocument(document: HostedDocument, form: 'markdown' | 'json'): string {
  const content = fillTemplate(document.template, document.values);
  if (form === 'markdown') return content;
  const { documentId, docUri, agreementId, agreementAddress, chainId, displayName, contentType } = document;
  const { docHash, updatedAt } = document;
  const facts = { documentId, docUri, agreementId, agreementAddress, chainId, displayName, contentType };
  return JSON.stringify({ ...facts, content, docHash, updatedAt });
}
