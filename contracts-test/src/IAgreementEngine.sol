// SPDX-License-Identifier: MIT
pragma solidity =0.8.37;

import {ActionInit, DataField, InputDef, Transition, VerifierInit} from "./AgreementTypes.sol";

/// @title IAgreementEngine
/// @notice One agreement: a state machine that moves when it accepts an input.
interface IAgreementEngine {
    /// @notice Input definitions may name `verifier` by `key`.
    event VerifierRegistered(bytes32 indexed key, address indexed verifier);

    /// @notice `inputId` will make this call when it leaves `fromState`.
    event ActionRegistered(
        bytes32 indexed fromState, bytes32 indexed inputId, address indexed target, uint256 value, bytes data
    );

    /// @notice The agreement stands at `initialState` and accepts inputs.
    event AgreementInitialized(address indexed owner, string docUri, bytes32 docHash, bytes32 initialState);

    /// @notice The transition's call to `target` succeeded.
    event ActionExecuted(bytes32 indexed fromState, bytes32 indexed toState, bytes32 indexed inputId, address target);

    /// @notice The agreement moved from `fromState` to `toState`, which may be the same.
    event InputAccepted(bytes32 indexed fromState, bytes32 indexed toState, bytes32 inputId, bytes payload);

    /// @notice The input just accepted was a permit of `signer` that `submitter` sent.
    event InputSubmittedWithPermit(address indexed signer, address indexed submitter, bytes32 indexed inputId);

    /// @notice The agreement would have no owner.
    error OwnerZero();

    /// @notice A verifier is the zero address.
    error VerifierZero();

    /// @notice Two verifiers have the same key.
    error DuplicateVerifier(bytes32 key);

    /// @notice An input definition names a verifier that the agreement does not have.
    error UnknownVerifier(bytes32 key);

    /// @notice An action would call the zero address.
    error ActionTargetZero();

    /// @notice The call of the transition's action reverted with `revertData`.
    error ActionCallFailed(address target, bytes revertData);

    /// @notice This is no agreement yet.
    error NotInitialized();

    /// @notice The permit was valid up to `deadline` (Unix seconds), which has passed.
    error PermitExpired(uint256 deadline);

    /// @notice The permit was signed by another account, for other content or with another nonce.
    error InvalidSignature();

    /// @notice Part of the public ABI; a wrong nonce shows as `InvalidSignature`.
    error InvalidNonce(address signer, uint256 provided, uint256 expected);

    /// @notice A condition does not hold. `op` is not always the op's own name: see `OpNames`.
    error ComparisonFailed(string op, string fieldType);

    /// @notice A condition compares a field or a variable of another type.
    error TypeMismatch(string expected, string actual);

    /// @notice A condition reads a variable that has no value.
    error VarNotSet(bytes32 fieldId);

    /// @notice Only `expected` may submit this input.
    error SenderAddressMismatch(address sender, address expected);

    /// @notice `sender` is none of those who may submit this input.
    error SenderAddressNotAllowed(address sender);

    /// @notice Makes the agreement; works once.
    function initialize(
        address owner,
        string calldata docUri,
        bytes32 docHash,
        bytes32 initialState,
        InputDef[] calldata inputDefs,
        Transition[] calldata transitions,
        DataField[] calldata initVars,
        VerifierInit[] calldata verifiers,
        ActionInit[] calldata actions
    ) external;

    /// @notice Submits an input as the caller.
    /// @param payload The ABI encoding of the submitted `DataField[]`.
    function submitInput(bytes32 inputId, bytes calldata payload) external;

    /// @notice Submits an input as `signer`, who signed for exactly this input and payload.
    /// @param deadline The last second (Unix) at which the permit is valid.
    function submitInputWithPermit(
        address signer,
        bytes32 inputId,
        bytes calldata payload,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice Whose agreement this is: its creator, or the signer of the permit that created it.
    function owner() external view returns (address);

    /// @notice Where the authored document is to be found.
    function docUri() external view returns (string memory);

    /// @notice The keccak256 of the authored document's text.
    function docHash() external view returns (bytes32);

    /// @notice The state in which the agreement began.
    function initialState() external view returns (bytes32);

    /// @notice The state in which the agreement is.
    function currentState() external view returns (bytes32);

    /// @notice How many permits of `account` this agreement has consumed, which is the next permit's nonce.
    function nonces(address account) external view returns (uint256);

    /// @notice The verifier registered under `key`, or zero.
    function verifierRegistry(bytes32 key) external view returns (address);
}
