/**
 * SQL: when a row is accepted: now, but after the last row that was assumed to come before it. The order of one agreement's
 * inputs goes by this time, and the database's clock may have been set back.
 *
 * @param lastId SQL of that row's id; null for none.
 */
export function acceptedAt(lastId: string): string {
  return `greatest(now(), (
    select last.created_at + interval '1 millisecond' from service.transactions last where last.id = ${lastId}))`;
}
