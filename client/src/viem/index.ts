/** Deploys and advances agreements with a wallet. Needs `viem`. */
export { AgreementError, type Issue, ProtocolError, ValuesError } from '../../../src/protocol/errors.ts';
export { waitForDeployment, waitForInput, waitForState } from '../waiting.ts';
export { PermitRefusedError, TypedDataMismatchError } from './checkTypedData.ts';
export {
  type Deployment,
  deployAgreement,
  type SignedDeployment,
  signDeployment,
} from './deployAgreement.ts';
export type { Eip1193Provider, WalletOptions } from './openWallet.ts';
export { type InputToSign, type SignedInput, signInput, submitInput } from './submitInput.ts';
export { WalletFaultError } from './walletFaultError.ts';
