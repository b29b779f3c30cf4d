import { stateLists } from '../../platform/database/tables/transactions.ts';

/**
 * SQL that fails the open permits of the same signer and contract that come after failed ones: they cannot
 * take effect while an earlier nonce is unused. `failed` names rows of `service.transactions`; their nonces
 * must be unused. Returns the ids. Says nothing of the failed one, which may be another principal's. A permit that is signed again is accepted once the one before it is.
 */
export function failSuccessors(failed: string): string {
  return `update service.transactions later set state = 'failed', updated_at = now(),
      failure = json_build_object('reason', 'predecessor_failed',
        'message', 'The permit of this signer that comes before it failed.')
    from (
      select distinct on (chain_id, contract, signer) id, chain_id, contract, signer, permit_nonce from ${failed}
      order by chain_id, contract, signer, permit_nonce) as first
    where later.chain_id = first.chain_id and later.contract = first.contract and later.signer = first.signer
      and later.permit_nonce > first.permit_nonce and later.state in (${stateLists.open})
    returning later.id, later.failure`;
}
