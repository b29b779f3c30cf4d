/** The trace id for collectors, from the header `traceparent`. */
export function traceIdOf(traceParent: string | null): string | null {
  return traceParent?.split('-')[1] ?? null;
}
