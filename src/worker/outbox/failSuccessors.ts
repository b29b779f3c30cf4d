import { stateLists } from '../../platform/database/tables/transactions.ts';

/**
 * SQL that fails the open permits of the same signer and contract that come after failed ones: they cannot
 * take effect while an earlier nonce is unused. `failed` names rows of `service.transactions`; their nonces
 * must be unused. Returns the ids. The failure names the failed permit if both are the same principal's alone. A permit that
 * is signed again is accepted once the one before it is.
 */
export function failSuccessors(failed: string): string {
  return `update service.transactions later set state = 'failed', updated_at = now(),
      failure = case when first.principal_id is not distinct from later.principal_id and not exists (
            select 1 from service.inputs shared
            where shared.transaction_id = later.id and shared.user_id <> first.principal_id offset 0) and not exists (
            select 1 from service.records shared
            where shared.deploy_transaction_id = later.id and shared.principal_id <> first.principal_id offset 0)
        then json_build_object('reason', 'predecessor_failed', 'predecessor', first.id,
          'message', 'The permit of this signer that comes before it failed: ' || first.id || '.')
        else json_build_object('reason', 'predecessor_failed',
          'message', 'The permit of this signer that comes before it failed.') end
    from (
      select distinct on (chain_id, contract, signer) id, principal_id, chain_id, contract, signer, permit_nonce
      from ${failed}
      order by chain_id, contract, signer, permit_nonce) as first
    where later.chain_id = first.chain_id and later.contract = first.contract and later.signer = first.signer
      and later.permit_nonce > first.permit_nonce and later.state in (${stateLists.open})
    returning later.id, later.failure`;
}
