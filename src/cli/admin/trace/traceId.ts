/** What a collector of traces knows them by, out of the header `traceparent`. */
export function traceIdOf(traceParent: string | null): string | null {
  return traceParent?.split('-')[1] ?? null;
}
