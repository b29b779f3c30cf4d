import { chooseForm } from '../documents/chooseForm.ts';
import { pageHeaders } from '../documents/pagePolicy.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import type { CollectedEvidence } from './collectedEvidence.ts';
import type { EvidenceDesk } from './evidenceDesk.ts';
import type { EvidenceDoor } from './evidenceDoor.ts';
import type { EvidencePages } from './evidencePages.ts';
import type { EvidenceSource } from './evidenceSource.ts';
import type { EvidenceRecord } from './evidenceSubject.ts';
import type { EvidenceWriters } from './evidenceWriters.ts';
import { writeEvidence } from './writeEvidence.ts';

export type EvidenceServices = {
  readonly door: EvidenceDoor;
  readonly source: EvidenceSource;
  readonly desk: EvidenceDesk;
  readonly pages: EvidencePages;
  readonly writers: EvidenceWriters;
};

export type EvidenceRequest = {
  readRecord(): Promise<EvidenceRecord>;
  /** The turn in which blocks are proved, pages are made and files are written. */
  readonly turn: string;
  readonly headers: Headers;
  readonly requestId: string;
  /** Closes the connection of a reader that is too slow. */
  disconnect(): void;
};

const retryAfterSeconds = 2;

/**
 * Answers with the evidence of a record as a file, or as a page if the Accept header asks for one. While
 * proving takes longer than a request waits, answers 202 with the progress.
 *
 * @throws what `readRecord`, `EvidenceDoor.admit`, `EvidenceDesk.collect` and `EvidenceWriters.open` do.
 */
export function respondEvidence(request: EvidenceRequest, services: EvidenceServices): Promise<Response> {
  const { turn } = request;
  if (!wantsPage(request)) services.writers.requireRoom(turn);
  return services.door.admit(turn, () => respond(request, services));
}

function wantsPage({ headers }: EvidenceRequest): boolean {
  return chooseForm(headers.get('accept')) === 'html';
}

async function respond(
  request: EvidenceRequest,
  { source, desk, pages, writers }: EvidenceServices,
): Promise<Response> {
  const { turn, requestId, disconnect } = request;
  const record = await request.readRecord();
  const collected = await desk.collect(record, turn);
  if ('total' in collected) {
    const progress = { status: 'collecting', blocksProved: collected.done, blocks: collected.total };
    return accepted(respondSingle({ requestId, dataText: JSON.stringify(progress) }));
  }
  const text = writeEvidence(collected, source);
  const common = { 'cache-control': 'no-store', 'x-request-id': requestId, vary: 'Accept' };
  if (wantsPage(request))
    return new Response(await pages.render(text, turn), { headers: { ...pageHeaders, ...common } });
  return new Response(writers.open(text, { turn, requestId, disconnect }), {
    headers: {
      ...common,
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="${nameFile(collected)}"`,
    },
  });
}

function accepted(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set('retry-after', String(retryAfterSeconds));
  return new Response(response.body, { status: 202, headers });
}

function nameFile({ record, history }: CollectedEvidence): string {
  return `evidence-${record.chainId}-${record.address.toLowerCase()}-${history.head.number}.json`;
}
