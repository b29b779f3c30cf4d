// SPDX-License-Identifier: MIT
pragma solidity =0.8.37;

import {ActionInit, DataField, InputDef, Transition, VerifierInit} from "./AgreementTypes.sol";

/// @title IAgreementFactory
/// @notice Creates agreements: one minimal proxy of the engine each.
interface IAgreementFactory {
    /// @notice An agreement exists; its own initialisation events follow.
    event AgreementDeployed(address indexed agreement, address indexed owner, string docUri, bytes32 docHash);

    /// @notice `agreement` was created by a permit of `signer` that `submitter` sent.
    event AgreementCreatedWithPermit(address indexed agreement, address indexed signer, address indexed submitter);

    /// @notice The factory would clone the zero address. One without code is taken.
    error InvalidImplementation();

    /// @notice The permit was valid up to `deadline` (Unix seconds), which has passed.
    error PermitExpired(uint256 deadline);

    /// @notice The permit was signed by another account, for other content or with another nonce.
    error InvalidSignature();

    /// @notice Part of the public ABI; a wrong nonce shows as `InvalidSignature`.
    error InvalidNonce(address signer, uint256 provided, uint256 expected);

    /// @notice Creates an agreement owned by the caller and returns its address.
    function createAgreement(
        string calldata docUri,
        bytes32 docHash,
        bytes32 initialState,
        InputDef[] calldata inputDefs,
        Transition[] calldata transitions,
        DataField[] calldata initVars,
        VerifierInit[] calldata verifiers,
        ActionInit[] calldata actions
    ) external returns (address);

    /// @notice Creates an agreement owned by the caller at the address that `predictAddress(salt)` gives.
    function createAgreementDeterministic(
        bytes32 salt,
        string calldata docUri,
        bytes32 docHash,
        bytes32 initialState,
        InputDef[] calldata inputDefs,
        Transition[] calldata transitions,
        DataField[] calldata initVars,
        VerifierInit[] calldata verifiers,
        ActionInit[] calldata actions
    ) external returns (address);

    /// @notice Creates an agreement owned by `signer`, who signed for exactly this content.
    /// @param deadline The last second (Unix) at which the permit is valid.
    function createAgreementWithPermit(
        address signer,
        string calldata docUri,
        bytes32 docHash,
        bytes32 initialState,
        InputDef[] calldata inputDefs,
        Transition[] calldata transitions,
        DataField[] calldata initVars,
        VerifierInit[] calldata verifiers,
        ActionInit[] calldata actions,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external returns (address);

    /// @notice As `createAgreementWithPermit`, at the address of a salt that is the submitter's choice: it is not signed.
    /// @param deadline The last second (Unix) at which the permit is valid.
    function createAgreementDeterministicWithPermit(
        address signer,
        bytes32 salt,
        string calldata docUri,
        bytes32 docHash,
        bytes32 initialState,
        InputDef[] calldata inputDefs,
        Transition[] calldata transitions,
        DataField[] calldata initVars,
        VerifierInit[] calldata verifiers,
        ActionInit[] calldata actions,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external returns (address);

    /// @notice The address that a deterministic creation with `salt` uses.
    function predictAddress(bytes32 salt) external view returns (address);

    /// @notice The engine that every agreement delegates to.
    function implementation() external view returns (address);

    /// @notice How many permits of `account` this factory has consumed, which is the next permit's nonce.
    function nonces(address account) external view returns (uint256);
}
