type Guest = { readonly mayAct: boolean; readonly onlyWallet?: string | undefined };
type Accepted = { readonly issuers: readonly string[]; readonly anyone: boolean };

/** Whether an input is offered: a principal chooses among all, because any of its wallets may sign; a guest has one wallet. */
export function mayChoose({ mayAct, onlyWallet }: Guest, { issuers, anyone }: Accepted): boolean {
  if (!mayAct || onlyWallet === undefined || anyone) return mayAct;
  return issuers.some((issuer) => issuer.toLowerCase() === onlyWallet.toLowerCase());
}
