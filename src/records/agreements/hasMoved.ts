/**
 * SQL: whether a reorganisation has taken an input's agreement away from the input's address: none of its records is
 * there, and none is a Draft that may be deployed there again. `row` is an alias of `service.transactions`. Each look-up is
 * by key: the planner has no join to choose.
 */
export function hasMoved(row: string): string {
  return `coalesce((
    select bool_and((
      select record.address is distinct from ${row}.contract and (record.status <> 'Draft' or record.error is not null)
      from service.records record where record.id = submitted.record_id))
    from service.inputs submitted where submitted.transaction_id = ${row}.id), false)`;
}
