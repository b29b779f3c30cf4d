// SPDX-License-Identifier: MIT
pragma solidity =0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {ActionInit, DataField, InputDef, Transition, VerifierInit} from "./AgreementTypes.sol";
import {IAgreementEngine} from "./IAgreementEngine.sol";
import {IAgreementFactory} from "./IAgreementFactory.sol";

/// @title AgreementFactory
/// @notice Creates agreements, for the caller or for whoever signed a permit.
contract AgreementFactory is IAgreementFactory, EIP712, ReentrancyGuard {
    /// @dev An agreement's content; with its owner, everything that makes it.
    struct Content {
        string docUri;
        bytes32 docHash;
        bytes32 initialState;
        InputDef[] inputDefs;
        Transition[] transitions;
        DataField[] initVars;
        VerifierInit[] verifiers;
        ActionInit[] actions;
    }

    /// @notice The EIP-712 type hash of a creation permit; each array enters as the keccak256 of its ABI encoding.
    bytes32 public constant PERMIT_WITH_ACTIONS_TYPEHASH = keccak256(
        "PermitAgreementWithActions(string docUri,bytes32 docHash,bytes32 initialState,bytes32 inputDefsHash,bytes32 transitionsHash,bytes32 initVarsHash,bytes32 verifiersHash,bytes32 actionsHash,uint256 nonce,uint256 deadline)"
    );

    /// @inheritdoc IAgreementFactory
    mapping(address => uint256) public nonces;

    address private immutable _implementation;

    /// @param implementation The engine that every agreement will delegate to. Not looked at but for zero.
    constructor(address implementation) EIP712("AgreementFactory", "1") {
        require(implementation != address(0), InvalidImplementation());
        _implementation = implementation;
    }

    /// @inheritdoc IAgreementFactory
    function createAgreement(
        string calldata docUri,
        bytes32 docHash,
        bytes32 initialState,
        InputDef[] calldata inputDefs,
        Transition[] calldata transitions,
        DataField[] calldata initVars,
        VerifierInit[] calldata verifiers,
        ActionInit[] calldata actions
    ) external nonReentrant returns (address) {
        Content memory content = Content(
            docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions
        );
        address agreement = Clones.clone(_implementation);
        _announce(agreement, msg.sender, content);
        _initialize(agreement, msg.sender, content);
        return agreement;
    }

    /// @inheritdoc IAgreementFactory
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
    ) external nonReentrant returns (address) {
        Content memory content = Content(
            docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions
        );
        address agreement = Clones.cloneDeterministic(_implementation, salt);
        _announce(agreement, msg.sender, content);
        _initialize(agreement, msg.sender, content);
        return agreement;
    }

    /// @inheritdoc IAgreementFactory
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
    ) external nonReentrant returns (address) {
        Content memory content =
            Content(docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions);
        _consumePermit(signer, content, deadline, v, r, s);
        address agreement = Clones.clone(_implementation);
        _announce(agreement, signer, content);
        emit AgreementCreatedWithPermit(agreement, signer, msg.sender);
        _initialize(agreement, signer, content);
        return agreement;
    }

    /// @inheritdoc IAgreementFactory
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
    ) external nonReentrant returns (address) {
        Content memory content =
            Content(docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions);
        _consumePermit(signer, content, deadline, v, r, s);
        address agreement = Clones.cloneDeterministic(_implementation, salt);
        _announce(agreement, signer, content);
        emit AgreementCreatedWithPermit(agreement, signer, msg.sender);
        _initialize(agreement, signer, content);
        return agreement;
    }

    /// @inheritdoc IAgreementFactory
    function predictAddress(bytes32 salt) external view returns (address) {
        return Clones.predictDeterministicAddress(_implementation, salt);
    }

    /// @inheritdoc IAgreementFactory
    function implementation() external view returns (address) {
        return _implementation;
    }

    function _consumePermit(address signer, Content memory content, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        private
    {
        require(block.timestamp <= deadline, PermitExpired(deadline));
        bytes32 digest = _hashTypedDataV4(_hashPermit(content, nonces[signer], deadline));
        require(ECDSA.recover(digest, v, r, s) == signer, InvalidSignature());
        nonces[signer]++;
    }

    function _announce(address agreement, address owner, Content memory content) private {
        emit AgreementDeployed(agreement, owner, content.docUri, content.docHash);
    }

    function _initialize(address agreement, address owner, Content memory content) private {
        IAgreementEngine(agreement)
            .initialize(
                owner,
                content.docUri,
                content.docHash,
                content.initialState,
                content.inputDefs,
                content.transitions,
                content.initVars,
                content.verifiers,
                content.actions
            );
    }

    function _hashPermit(Content memory content, uint256 nonce, uint256 deadline) private pure returns (bytes32) {
        return keccak256(
            abi.encode(
                PERMIT_WITH_ACTIONS_TYPEHASH,
                keccak256(bytes(content.docUri)),
                content.docHash,
                content.initialState,
                keccak256(abi.encode(content.inputDefs)),
                keccak256(abi.encode(content.transitions)),
                keccak256(abi.encode(content.initVars)),
                keccak256(abi.encode(content.verifiers)),
                keccak256(abi.encode(content.actions)),
                nonce,
                deadline
            )
        );
    }
}
