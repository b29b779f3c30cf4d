import { type ReadResourceResult, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { NotFoundError } from '../../../platform/errors/serviceError.ts';
import { documentShape } from '../../routes/getDocument.ts';
import { inputRecordShape, recordShape, summaryShape } from '../../shapes/resources.ts';
import type { AgentCall } from '../agentCall.ts';
import { checkedData } from '../checkedData.ts';
import { escapeUnseen } from '../escapeUnseen.ts';
import { fenceText } from '../quotedData.ts';

/** Agreements as resources, each by its id. */
export const agreementTemplates = [
  {
    uriTemplate: 'agreements://{id}',
    name: 'agreement',
    title: 'An agreement',
    description: 'The record, as quotedRecord: state, values, parties and the document as authored.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'agreements://{id}/document',
    name: 'agreement-document',
    title: 'The text of an agreement',
    description: 'With the values in it; written by its parties, and marked as such.',
    mimeType: 'text/markdown',
  },
  {
    uriTemplate: 'agreements://{id}/history',
    name: 'agreement-history',
    title: 'The inputs of an agreement',
    description: 'The last hundred, the newest first, as quotedHistory.',
    mimeType: 'application/json',
  },
] as const;

const pattern = /^agreements:\/\/(agr_[0-9a-z]{1,64}|0x[0-9a-fA-F]{40})(\/document|\/history)?$/;

/**
 * Reads an agreement as a resource.
 *
 * @throws ResourceNotFoundError if there is no such agreement or part, and the errors of the operations behind it.
 */
export async function readAgreementResource(uri: string, call: AgentCall): Promise<ReadResourceResult> {
  const [, id, part = ''] = pattern.exec(uri) ?? [];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  try {
    return { contents: [await readPart(uri, { id, part, call })] };
  } catch (error) {
    if (error instanceof NotFoundError) throw new ResourceNotFoundError(uri);
    throw error;
  }
}

type Asked = { readonly id: string; readonly part: string; readonly call: AgentCall };

async function readPart(uri: string, { id, part, call }: Asked) {
  if (part === '/history') {
    const { data } = await call.ask('listAgreementInputs', { params: { id }, query: { limit: '100' } });
    const quotedHistory = checkedData(z.array(inputRecordShape), data);
    return { uri, mimeType: 'application/json', text: write({ quotedHistory }) };
  }
  const record = checkedData(recordShape, (await call.ask('getAgreement', { params: { id } })).data);
  if (part === '') return { uri, mimeType: 'application/json', text: write({ quotedRecord: record }) };
  if (record.documentId === undefined) throw new ResourceNotFoundError(uri);
  const { data } = await call.ask('getAgreementDocument', { params: { documentId: record.documentId } });
  return { uri, mimeType: 'text/markdown', text: fenceText(documentShape.parse(data).content) };
}

const write = (value: unknown) => escapeUnseen(JSON.stringify(value, null, 1));

const mostCompletions = 20;
const searched = '100';

/** Ids of the newest agreements whose id or name begins with the typed text. */
export async function completeAgreementId(typed: string, call: AgentCall): Promise<string[]> {
  const { data } = await call.ask('listAgreements', { query: { limit: searched } });
  const wanted = typed.toLowerCase();
  return z
    .array(summaryShape)
    .parse(data)
    .filter(({ id, displayName }) => id.startsWith(wanted) || displayName.toLowerCase().startsWith(wanted))
    .slice(0, mostCompletions)
    .map(({ id }) => id);
}
