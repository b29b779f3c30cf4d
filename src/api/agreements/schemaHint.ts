import { isJsonObject } from '../../protocol/jsonCursor.ts';

/** A hint for callers whose signature fits the document without its `schema` fields. */
export const schemaHint =
  'It matches the agreement without the fields in `schema`. The public signing library does not read fields from `schema` objects: declare them in `data`, or sign the typed data that this service builds.';

/**
 * The document as seen by a library that reads fields only from `data`: without the `schema` objects used
 * instead. Undefined if the document has none of these.
 */
export function withoutSchemaFields(agreement: unknown): unknown {
  const execution = isJsonObject(agreement) ? agreement.execution : undefined;
  const inputs = isJsonObject(execution) ? execution.inputs : undefined;
  if (!isJsonObject(agreement) || !isJsonObject(execution) || !isJsonObject(inputs)) return undefined;
  const entries = Object.entries(inputs);
  if (!entries.some(([, input]) => hasSchemaFields(input))) return undefined;
  const reduced = entries.map(([id, input]) => [
    id,
    hasSchemaFields(input) ? { ...input, schema: null } : input,
  ]);
  return { ...agreement, execution: { ...execution, inputs: Object.fromEntries(reduced) } };
}

function hasSchemaFields(input: unknown): input is Record<string, unknown> {
  return isJsonObject(input) && (input.data ?? undefined) === undefined && isJsonObject(input.schema);
}
