import { type Abi, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';

const structs = [
  'struct InputFieldDef { bytes32 fieldId; uint8 fType; bool required; bool persist; }',
  'struct Condition { uint8 op; bytes32 fieldId; bytes bytesArg; }',
  'struct InputDef { bytes32 id; InputFieldDef[] fields; Condition[] conditions; bytes32[] verifierKeys; }',
  'struct Transition { bytes32 fromState; bytes32 toState; bytes32 inputId; }',
  'struct DataField { bytes32 id; uint8 fType; bytes data; }',
  'struct VerifierInit { bytes32 key; address verifier; }',
  'struct ActionInit { bytes32 fromState; bytes32 inputId; address target; uint256 value; bytes data; }',
];
const content =
  'string docUri, bytes32 docHash, bytes32 initialState, InputDef[] inputDefs, Transition[] transitions, DataField[] initVars, VerifierInit[] verifiers, ActionInit[] actions';
const signature = 'uint256 deadline, uint8 v, bytes32 r, bytes32 s';

/** The parts of both contracts that come from OpenZeppelin Contracts and serve their permits. */
const shared = [
  'event EIP712DomainChanged()',
  'error ECDSAInvalidSignature()',
  'error ECDSAInvalidSignatureLength(uint256 length)',
  'error ECDSAInvalidSignatureS(bytes32 s)',
  'error InvalidNonce(address signer, uint256 provided, uint256 expected)',
  'error InvalidShortString()',
  'error InvalidSignature()',
  'error PermitExpired(uint256 deadline)',
  'error ReentrancyGuardReentrantCall()',
  'error StringTooLong(string str)',
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
  'function nonces(address) view returns (uint256)',
];

const factory = [
  'constructor(address implementation)',
  'event AgreementDeployed(address indexed agreement, address indexed owner, string docUri, bytes32 docHash)',
  'event AgreementCreatedWithPermit(address indexed agreement, address indexed signer, address indexed submitter)',
  'error FailedDeployment()',
  'error InsufficientBalance(uint256 balance, uint256 needed)',
  'error InvalidImplementation()',
  'function PERMIT_WITH_ACTIONS_TYPEHASH() view returns (bytes32)',
  `function createAgreement(${content}) returns (address)`,
  `function createAgreementDeterministic(bytes32 salt, ${content}) returns (address)`,
  `function createAgreementWithPermit(address signer, ${content}, ${signature}) returns (address)`,
  `function createAgreementDeterministicWithPermit(address signer, bytes32 salt, ${content}, ${signature}) returns (address)`,
  'function implementation() view returns (address)',
  'function predictAddress(bytes32 salt) view returns (address)',
];

const engine = [
  'constructor()',
  'event ActionExecuted(bytes32 indexed fromState, bytes32 indexed toState, bytes32 indexed inputId, address target)',
  'event ActionRegistered(bytes32 indexed fromState, bytes32 indexed inputId, address indexed target, uint256 value, bytes data)',
  'event AgreementInitialized(address indexed owner, string docUri, bytes32 docHash, bytes32 initialState)',
  'event Initialized(uint64 version)',
  'event InputAccepted(bytes32 indexed fromState, bytes32 indexed toState, bytes32 inputId, bytes payload)',
  'event InputSubmittedWithPermit(address indexed signer, address indexed submitter, bytes32 indexed inputId)',
  'event VerifierRegistered(bytes32 indexed key, address indexed verifier)',
  'error ActionCallFailed(address target, bytes revertData)',
  'error ActionTargetZero()',
  'error ComparisonFailed(string op, string fieldType)',
  'error DuplicateVerifier(bytes32 key)',
  'error InvalidInitialization()',
  'error NotInitialized()',
  'error NotInitializing()',
  'error OwnerZero()',
  'error SenderAddressMismatch(address sender, address expected)',
  'error SenderAddressNotAllowed(address sender)',
  'error TypeMismatch(string expected, string actual)',
  'error UnknownVerifier(bytes32 key)',
  'error VarNotSet(bytes32 fieldId)',
  'error VerifierZero()',
  'function PERMIT_TYPEHASH() view returns (bytes32)',
  'function currentState() view returns (bytes32)',
  'function docHash() view returns (bytes32)',
  'function docUri() view returns (string)',
  'function initialState() view returns (bytes32)',
  `function initialize(address owner, ${content})`,
  'function owner() view returns (address)',
  'function submitInput(bytes32 inputId, bytes payload)',
  `function submitInputWithPermit(address signer, bytes32 inputId, bytes payload, ${signature})`,
  'function verifierRegistry(bytes32) view returns (address)',
];

describe('the ABI of the public deployment', () => {
  it.each<[string, Abi, string[]]>([
    ['AgreementFactory', agreementFactoryAbi, factory],
    ['AgreementEngine', agreementEngineAbi, engine],
  ])('is that of %s, to the last name', (_, abi, expected) => {
    const text: readonly string[] = [...structs, ...shared, ...expected];
    expect(normalize(abi)).toEqual(normalize(parseAbi(text)));
  });
});

/** Sorts by kind and name, and removes values without meaning: `false` flags and empty names. */
function normalize(abi: Abi): unknown[] {
  const plain: unknown[] = JSON.parse(
    JSON.stringify(abi, (_, value) => (value === false || value === '' ? undefined : value)),
  );
  return plain.toSorted((one, other) => toKey(one).localeCompare(toKey(other)));
}

function toKey(item: unknown): string {
  const { type, name } = Object.assign({ type: '', name: '' }, item);
  return `${type} ${name}`;
}
