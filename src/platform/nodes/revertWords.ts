/**
 * The errors of the protocol's contracts, and of OpenZeppelin within them, explained to the sender of the
 * permit.
 */
const errors: Readonly<Record<string, string>> = {
  ActionTargetZero: 'An action of the agreement calls the zero address.',
  ComparisonFailed: 'A submitted value breaks a rule of the agreement.',
  DuplicateVerifier: 'A verifier is registered twice.',
  ECDSAInvalidSignature: 'The signature is of no account.',
  ECDSAInvalidSignatureLength: 'The signature has the wrong length.',
  ECDSAInvalidSignatureS: 'The signature is in its high form (s), which the contract refuses.',
  FailedDeployment: 'The agreement could not be created at its address.',
  InsufficientBalance: 'The contract has too little to send.',
  InvalidImplementation: 'The factory has no implementation of agreements.',
  InvalidInitialization: 'The agreement is initialised already.',
  InvalidNonce: 'The permit carries another nonce than the signer has now.',
  InvalidShortString: 'A name of the signing domain is too long.',
  InvalidSignature: 'The signature is not one of the signer over these very values with the current nonce.',
  NotInitialized: 'There is no initialised agreement at this address.',
  NotInitializing: 'The agreement is not being initialised.',
  OwnerZero: 'The owner is the zero address.',
  PermitExpired: 'The deadline of the permit has passed.',
  ReentrancyGuardReentrantCall: 'An action called the agreement back while that was at work.',
  SenderAddressMismatch: 'The signer is not the participant that this input belongs to.',
  SenderAddressNotAllowed: 'The signer is none of those that this input is open to.',
  StringTooLong: 'A name of the signing domain is too long.',
  TypeMismatch: 'A rule compares a value of another type.',
  UnknownVerifier: 'An input names a verifier that is not registered.',
  VarNotSet: 'A rule needs a variable that has no value yet.',
  VerifierZero: 'A verifier is the zero address.',
  // Errors of tokens and contracts that actions call.
  AccessControlUnauthorizedAccount: 'The called contract does not allow this to the agreement.',
  ERC20InsufficientAllowance: 'The agreement may not spend that much of the token.',
  ERC20InsufficientBalance: 'The payer has too little of the token.',
  EnforcedPause: 'The called contract is paused.',
  OwnableUnauthorizedAccount: 'The called contract allows this to its owner alone.',
  SafeERC20FailedOperation: 'The token refused the operation.',
};

/** The texts with which the agreement's contract reverts. */
const texts: Readonly<Record<string, string>> = {
  'Condition field not found in input data': 'A rule needs a field that was not submitted.',
  'Duplicate inputId': 'The document declares an input twice.',
  'Field data is empty': 'A submitted value is empty.',
  'Field type mismatch': 'A submitted value is of another type than its field.',
  'InitVar id zero': 'An initial variable has no name.',
  'InputDef id zero': 'An input has no name.',
  'Invalid address encoding': 'A value is no encoded address.',
  'Invalid bool encoding': 'A value is no encoded truth value.',
  'Invalid bytes32 encoding': 'A value is not 32 bytes.',
  'Invalid string encoding': 'A value is no encoded text.',
  'Invalid uint256 encoding': 'A value is no encoded number.',
  'No valid transition': 'No transition leads on from the current state by this input.',
  'Persist field type mismatch': 'A value of another type is stored under the name of this one.',
  'Required field missing': 'A required field was not submitted.',
  'Unknown inputId': 'The agreement has no such input.',
  'Unknown operation': 'The agreement has a rule that its contract does not know.',
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
