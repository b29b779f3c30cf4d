/** For wallets, which may decline, fail, or do something else than requested. */
export const walletTexts = {
  asked: 'The wallet is asked. Look for its window.',
  giveUp: 'Stop waiting',
  says: 'The wallet says:',
  errors: {
    declined: 'You have declined in the wallet. Nothing was signed and nothing was sent.',
    given_up:
      'You have stopped waiting for the wallet. Nothing was sent. If it still asks you to sign, decline it there.',
    unknown_chain: 'The wallet does not know this chain. Add the chain in the wallet, then try again.',
    failed: 'The wallet has failed. Nothing was sent.',
  },
  faults: {
    other_chain:
      'The wallet stays on another chain. Nothing was signed. Switch it to this chain, then try again.',
    other_signer:
      'The wallet has signed something else, or with another account than it has shown. Nothing was sent. Do not use this wallet before you know why.',
    no_signature: 'The wallet did not answer with a signature. Nothing was sent.',
  },
};
