import { chooseForm } from '../documents/chooseForm.ts';
import { pageHeaders } from '../documents/pagePolicy.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import type { CollectedEvidence } from './collectedEvidence.ts';
import type { EvidenceDesk } from './evidenceDesk.ts';
import type { EvidenceDoor } from './evidenceDoor.ts';
import type { EvidenceHoldings } from './evidenceHoldings.ts';
import type { EvidencePages } from './evidencePages.ts';
import type { EvidenceSource } from './evidenceSource.ts';
import type { EvidenceRecord } from './evidenceSubject.ts';
import type { EvidenceWriters } from './evidenceWriters.ts';
import { writeEvidence } from './writeEvidence.ts';

export type EvidenceServices = {
  readonly door: EvidenceDoor;
  readonly source: EvidenceSource;
  readonly desk: EvidenceDesk;
  readonly holdings: EvidenceHoldings;
  readonly pages: EvidencePages;
  readonly writers: EvidenceWriters;
};

export type EvidenceRequest = {
  readRecord(): Promise<EvidenceRecord>;
  /** Called after each wait. @throws AccessError if the reader has lost its access meanwhile. */
  requireAccess(): Promise<void>;
  /** Who waits together: a principal, or its guests. Files are written in this turn. */
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
 * @throws what `readRecord`, `EvidenceDoor.admit`, `EvidenceDesk.collect`, `EvidenceHoldings.hold`, `EvidencePages.render` and
 * `EvidenceWriters.open` do.
 */
export function respondEvidence(request: EvidenceRequest, services: EvidenceServices): Promise<Response> {
  const { turn } = request;
  if (!wantsPage(request)) services.writers.requireRoom(turn);
  return services.door.admit(turn, () => respond(request, services));
}

function wantsPage({ headers }: EvidenceRequest): boolean {
  return chooseForm(headers.get('accept')) === 'html';
}

async function respond(request: EvidenceRequest, services: EvidenceServices): Promise<Response> {
  const { turn, requestId } = request;
  const record = await request.readRecord();
  const collected = await services.desk.collect(record, turn);
  await request.requireAccess();
  if ('total' in collected) {
    const progress = { status: 'collecting', blocksProved: collected.done, blocks: collected.total };
    return accepted(respondSingle({ requestId, dataText: JSON.stringify(progress) }));
  }
  const release = services.holdings.hold(collected, turn);
  try {
    return await send(collected, request, { ...services, release });
  } catch (error) {
    release();
    throw error;
  }
}

/** @param services `release` is called once the history is no longer needed, unless an error is thrown. */
async function send(
  collected: CollectedEvidence,
  request: EvidenceRequest,
  { source, holdings, pages, writers, release }: EvidenceServices & { release(): void },
): Promise<Response> {
  const { turn, requestId, disconnect } = request;
  const pieces = writeEvidence(collected, source);
  const common = { 'cache-control': 'no-store', 'x-request-id': requestId, vary: 'Accept' };
  if (wantsPage(request)) {
    const { principalId } = collected.record;
    const page = await pages.render({ pieces, bytes: collected.bytes }, { principalId, turn });
    await request.requireAccess();
    release();
    return new Response(page, { headers: { ...pageHeaders, ...common } });
  }
  const isInTheWay = () => holdings.isShort(turn);
  const reader = { turn, requestId, disconnect, isInTheWay, onEnd: release };
  return new Response(writers.open(pieces, reader), {
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
