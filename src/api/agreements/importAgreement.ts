import type { Address } from 'viem';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { clientOf } from '../../platform/nodes/clients.ts';
import {
  type DeployValues,
  hashDocument,
  resolveAdoptedValues,
  serializeAgreement,
} from '../../protocol/index.ts';
import type { Services } from '../../records/agreements/services.ts';
import { measureStored } from '../../records/quotas/measureStored.ts';
import { readAdoptedPast } from './adoptedPast.ts';
import { type AdoptedRecord, findManaged, type Managed, shownDocUri, storeAdopted } from './adoptedRecord.ts';
import { refusePart, requireChain, requireParties, requireTemplate } from './checkDeployment.ts';
import type { ConsistencyPoint } from './consistency.ts';
import { type FoundAgreement, findOnChain } from './findOnChain.ts';

export type ImportRequest = {
  readonly principalId: string;
  readonly chainId: number;
  readonly address: Address;
  /** The document as it was parsed. */
  readonly agreement: unknown;
  readonly displayName: string;
  readonly participants?: unknown;
  readonly observers?: readonly string[] | undefined;
};

/**
 * Creates a record of an agreement that already exists on a chain; its history follows. If the principal has a
 * Draft that is about to become this agreement, that Draft is the record.
 *
 * @returns the record's id, whether the record is new, and the point of the history that existed at the import.
 * @throws RefusedError for the chain, the document, participants, a record that manages it already, an address without an
 * agreement, or another document than the contract's, in this order; then nothing is stored.
 * @throws ChainUnavailableError if the chain or the index cannot be asked; then nothing is stored either.
 */
export async function importAgreement(
  request: ImportRequest,
  services: Services,
): Promise<{ id: string; isNew: boolean; point: ConsistencyPoint }> {
  const { principalId, chainId, agreement } = request;
  requireChain(chainId, services);
  const { templateId } = requireTemplate(agreement, services.limits);
  requireParties(request, services.limits);
  resolveValues(request, []);
  requireUnmanaged(await findManaged(services.database, request));
  await services.quotas.check(principalId, 'import');

  const found = await findOnChain(request, services);
  const document = serializeAgreement(agreement);
  requireDocument(document, found);
  const values = resolveValues(request, found.initVars);
  const past = await readAdoptedPast(
    { ...request, latestBlock: found.latestBlock, updatedBlock: found.updatedBlockNumber },
    { database: services.database, client: clientOf(chainId, services) },
  );
  const adopted = { ...request, found, past, document, templateId, values };
  const { id, isNew } = await findOrStore(adopted, services);
  if (isNew) services.quotas.note(principalId, { storedBytes: measureImport(adopted), adoptedAgreements: 1 });
  const blockNumber = Number(past.latestBlock);
  return { id, isNew, point: { chainId, blockNumber, recordId: id, inputId: null } };
}

/** @throws RefusedError `invalid_participants` with all issues. */
function resolveValues(
  { agreement, participants }: ImportRequest,
  initVars: FoundAgreement['initVars'],
): DeployValues {
  const values = resolveAdoptedValues({ agreement, initVars, participants });
  if (values.issues.length > 0) throw refusePart('invalid_participants', values.issues);
  return values;
}

function requireDocument(document: string, { docHash: expected }: FoundAgreement): void {
  const docHash = hashDocument(document);
  if (docHash === expected) return;
  const message = 'The document is not the one the agreement was created with.';
  throw new RefusedError('document_mismatch', message, {
    field: 'agreement',
    facts: { docHash, contractDocHash: expected },
  });
}

/** @throws RefusedError `already_managed` for a record that is Deployed. */
function requireUnmanaged(managed: Managed | undefined): void {
  if (managed?.status !== 'Deployed') return;
  throw new RefusedError('already_managed', 'This principal already has a record of this agreement.', {
    field: 'address',
    facts: { agreementId: managed.id },
  });
}

async function findOrStore(
  adopted: AdoptedRecord,
  { database, publicBaseUrl }: Services,
): Promise<{ id: string; isNew: boolean }> {
  const search = async () => {
    const managed = await findManaged(database, adopted, adopted.found);
    requireUnmanaged(managed);
    return managed?.id;
  };
  const managed = await search();
  if (managed !== undefined) return { id: managed, isNew: false };
  const stored = await storeAdopted(database, adopted, publicBaseUrl);
  if (stored !== undefined) return stored;
  // A concurrent request of the same principal was faster.
  const other = await search();
  if (other !== undefined) return { id: other, isNew: false };
  throw new Error(`the record of ${adopted.address} was not found and could not be stored`);
}

function measureImport({ found, document, values, observers }: AdoptedRecord): number {
  const { participants, contributors, values: variables } = values;
  return measureStored([
    ...[shownDocUri(found), document, variables, variables, participants, contributors, observers],
  ]);
}
