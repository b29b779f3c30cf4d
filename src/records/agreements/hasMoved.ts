/**
 * SQL: whether a reorganisation has taken an input's agreement away from the input's address: none of its records is
 * there, and none is a Draft that may be deployed there again. `row` is an alias of `service.transactions`.
 */
export function hasMoved(row: string): string {
  return `coalesce((
    select bool_and(record.address is distinct from ${row}.contract and (record.status <> 'Draft' or record.error is not null))
    from service.inputs submitted join service.records record on record.id = submitted.record_id
    where submitted.transaction_id = ${row}.id), false)`;
}
