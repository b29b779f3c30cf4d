import type { Services } from '../../records/agreements/services.ts';
import { chooseForm } from '../documents/negotiate.ts';
import { pageHeaders } from '../documents/pagePolicy.ts';
import { defineEndpoint, type Endpoint, noBody } from '../endpoint/defineEndpoint.ts';
import type { CollectedEvidence } from '../evidence/collectEvidence.ts';
import type { EvidenceDesk } from '../evidence/evidenceDesk.ts';
import type { EvidencePages } from '../evidence/evidencePages.ts';
import { readEvidenceRecord } from '../evidence/evidenceSubject.ts';
import { createEvidenceWriters } from '../evidence/evidenceWriters.ts';
import { writeEvidence } from '../evidence/writeEvidence.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { evidenceProgressShape, evidenceShape } from '../shapes/evidenceShapes.ts';
import { chainOfReference, recordParams } from '../shapes/shapes.ts';

const retryAfterSeconds = 2;

export function getEvidence(
  services: Services,
  { desk, pages }: { desk: EvidenceDesk; pages: EvidencePages },
): Endpoint {
  const { pool, publicBaseUrl } = services;
  const writers = createEvidenceWriters();
  return defineEndpoint({
    method: 'get',
    path: '/v0/agreements/{id}/evidence',
    operationId: 'getAgreementEvidence',
    tag: 'Agreement records',
    summary: 'Read evidence of what happened, checkable without this service',
    description:
      'One file with the document, each signature, and each transaction and receipt with its proof against the header of its block, and with proofs of what the contract holds. Whoever has it can check it years later, with `agreements verify`, at `/verify`, or with a program of their own: its format is described in docs/evidence.md, its JSON Schema is at `/v0/evidence.schema.json`. Blocks are fetched once and kept; while that takes longer than a request waits, the answer is 202 with how far it has come. `text/html` is a page made to be printed, of files up to 8 MiB.',
    scope: 'agreements.read',
    params: recordParams,
    query: chainOfReference,
    body: noBody,
    data: {
      schema: evidenceShape,
      description: 'The file, in its one canonical form.',
      otherForms: ['text/html'],
      file: { pending: evidenceProgressShape },
    },
    refusals: [400, 404, 409],
    reasons: ['not_deployed', 'values_unknown', 'evidence_too_long'],
    example: {
      after: [{ operationId: 'deployWithPermit', params: { id: '/data/id' } }],
    },
    async handle({ params, query, caller, headers, requestId }) {
      const { principalId } = caller;
      const reference = { id: params.id, chainId: query.chainId };
      const record = await readEvidenceRecord(pool, { reference, principalId });
      const collected = await desk.collect(record, principalId);
      if ('total' in collected) {
        const progress = { status: 'collecting', blocksProved: collected.done, blocks: collected.total };
        return accepted(respondSingle({ requestId, dataText: JSON.stringify(progress) }));
      }
      const text = writeEvidence(collected, { publicBaseUrl, pool });
      const isPage = chooseForm(headers.get('accept')) === 'html';
      const common = { 'cache-control': 'no-store', 'x-request-id': requestId, vary: 'Accept' };
      if (isPage) {
        const page = await pages.render(text, principalId);
        return new Response(page, { headers: { ...pageHeaders, ...common } });
      }
      return new Response(ReadableStream.from(encode(writers.admit(text, principalId))), {
        headers: {
          ...common,
          'content-type': 'application/json',
          'content-disposition': `attachment; filename="${nameFile(collected)}"`,
        },
      });
    },
  });
}

function accepted(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set('retry-after', String(retryAfterSeconds));
  return new Response(response.body, { status: 202, headers });
}

async function* encode(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const piece of pieces) yield encoder.encode(piece);
}

function nameFile({ record, history }: CollectedEvidence): string {
  return `evidence-${record.chainId}-${record.address.toLowerCase()}-${history.head.number}.json`;
}
