const costs = new WeakMap<object, number>();

/** Notes the bytes that were read for an answer, or for a part of one, if they are more than it has. */
export function noteReadBytes<Answer extends object>(answer: Answer, bytes: number): Answer {
  costs.set(answer, bytes);
  return answer;
}

/** What an answer cost: the bytes that were read for it, or its own if they are known. */
export function costOf(answer: object): number {
  const ownBytes = answer instanceof Response ? Number(answer.headers.get('content-length') ?? 0) : 0;
  return Math.max(costs.get(answer) ?? 0, ownBytes);
}
