/**
 * The errors of the protocol's contracts, and of OpenZeppelin within them, explained to the sender of the
 * permit.
 */
const errors: Readonly<Record<string, string>> = {
  ActionTargetZero: 'An action of the agreement calls the zero address.',
  ComparisonFailed: 'A submitted value breaks a rule of the agreement.',
  DuplicateVerifier: 'A verifier is registered more than once.',
  ECDSAInvalidSignature: 'The signature does not belong to any account.',
  ECDSAInvalidSignatureLength: 'The signature has the wrong length.',
  ECDSAInvalidSignatureS: 'The signature has a high s value, which the contract rejects.',
  FailedDeployment: 'The agreement could not be created at its address.',
  InsufficientBalance: 'The balance of the contract is too low.',
  InvalidImplementation: 'The factory has no agreement implementation.',
  InvalidInitialization: 'The agreement is already initialised.',
  InvalidNonce: 'The nonce of the permit is not the current nonce of the signer.',
  InvalidShortString: 'The name or version of the signing domain is too long.',
  InvalidSignature:
    'The signature was not made by the signer for exactly these values and the current nonce.',
  NotInitialized: 'No initialised agreement exists at this address.',
  NotInitializing: 'The agreement is not being initialised.',
  OwnerZero: 'The owner is the zero address.',
  PermitExpired: 'The deadline of the permit has passed.',
  ReentrancyGuardReentrantCall: 'An action called the agreement again during its own execution.',
  SenderAddressMismatch: 'The signer is not the participant who may send this input.',
  SenderAddressNotAllowed: 'The signer is not one of the accounts that may send this input.',
  StringTooLong: 'The name or version of the signing domain is too long.',
  TypeMismatch: 'A rule compares values of different types.',
  UnknownVerifier: 'An input names a verifier that is not registered.',
  VarNotSet: 'A rule requires a variable that has no value yet.',
  VerifierZero: 'A verifier is the zero address.',
  // Errors of tokens and contracts that actions call.
  AccessControlUnauthorizedAccount: 'The called contract does not allow the agreement to make this call.',
  ERC20InsufficientAllowance: 'The token allowance of the agreement is too low.',
  ERC20InsufficientBalance: 'The token balance of the payer is too low.',
  EnforcedPause: 'The called contract is paused.',
  OwnableUnauthorizedAccount: 'Only the owner of the called contract may make this call.',
  SafeERC20FailedOperation: 'The token contract rejected the operation.',
};

/** The texts with which the agreement's contract reverts. */
const texts: Readonly<Record<string, string>> = {
  'Condition field not found in input data': 'A rule requires a field that was not submitted.',
  'Duplicate inputId': 'The document declares an input twice.',
  'Field data is empty': 'A submitted value is empty.',
  'Field type mismatch': 'A submitted value does not have the type of its field.',
  'InitVar id zero': 'An initial variable has no name.',
  'InputDef id zero': 'An input has no name.',
  'Invalid address encoding': 'A value is not an encoded address.',
  'Invalid bool encoding': 'A value is not an encoded bool.',
  'Invalid bytes32 encoding': 'A value is not 32 bytes.',
  'Invalid string encoding': 'A value is not an encoded string.',
  'Invalid uint256 encoding': 'A value is not an encoded uint256.',
  'No valid transition': 'No transition from the current state uses this input.',
  'Persist field type mismatch': 'A stored variable with the same name has a different type.',
  'Required field missing': 'A required field was not submitted.',
  'Unknown inputId': 'The agreement does not have this input.',
  'Unknown operation': 'The agreement has a rule that its contract does not support.',
  'Verifier not registered': 'A verifier of this input is not registered.',
};

/** Words for an error by its name, or for a revert text; undefined for unknown ones. */
export function findRevertWords(reason: {
  readonly name: string;
  readonly message: string;
}): string | undefined {
  const [known, key] = reason.name === 'Error' ? [texts, reason.message] : [errors, reason.name];
  return Object.hasOwn(known, key) ? known[key] : undefined;
}
