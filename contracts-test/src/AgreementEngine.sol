// SPDX-License-Identifier: MIT
pragma solidity =0.8.37;

import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {
    ActionInit,
    Condition,
    DataField,
    FieldType,
    InputDef,
    InputFieldDef,
    StoredVariable,
    Transition,
    VerifierInit
} from "./AgreementTypes.sol";
import {Conditions} from "./Conditions.sol";
import {FieldData} from "./FieldData.sol";
import {IAgreementEngine} from "./IAgreementEngine.sol";
import {IVerifier} from "./IVerifier.sol";

/// @title AgreementEngine
/// @notice The code of every agreement. The deployed engine itself is locked; each agreement is a minimal proxy of it.
contract AgreementEngine is IAgreementEngine, Initializable, EIP712, ReentrancyGuard {
    using Conditions for Condition;
    using FieldData for FieldType;

    /// @notice The EIP-712 type hash of an input permit.
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("PermitInput(bytes32 inputId,bytes payload,uint256 nonce,uint256 deadline)");

    /// @inheritdoc IAgreementEngine
    address public owner;

    /// @inheritdoc IAgreementEngine
    string public docUri;

    /// @inheritdoc IAgreementEngine
    bytes32 public docHash;

    /// @inheritdoc IAgreementEngine
    bytes32 public initialState;

    /// @inheritdoc IAgreementEngine
    bytes32 public currentState;

    /// @inheritdoc IAgreementEngine
    mapping(address => uint256) public nonces;

    /// @inheritdoc IAgreementEngine
    mapping(bytes32 => address) public verifierRegistry;

    mapping(bytes32 inputId => InputDef) private _inputDefs;
    mapping(bytes32 id => StoredVariable) private _variables;
    mapping(bytes32 fromState => mapping(bytes32 inputId => ActionInit)) private _actions;
    Transition[] private _transitions;

    modifier whenInitialized() {
        require(owner != address(0), NotInitialized());
        _;
    }

    constructor() EIP712("AgreementEngine", "1") {
        _disableInitializers();
    }

    /// @inheritdoc IAgreementEngine
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
    ) external initializer {
        require(owner != address(0), OwnerZero());
        _setHead(owner, docUri, docHash, initialState);
        _registerVerifiers(verifiers);
        _registerInputDefs(inputDefs);
        for (uint256 i = 0; i < transitions.length; i++) {
            _transitions.push(transitions[i]);
        }
        _setInitVars(initVars);
        _registerActions(actions);
        emit AgreementInitialized(owner, docUri, docHash, initialState);
    }

    /// @inheritdoc IAgreementEngine
    function submitInput(bytes32 inputId, bytes calldata payload) external nonReentrant whenInitialized {
        _acceptInput(inputId, payload, msg.sender);
    }

    /// @inheritdoc IAgreementEngine
    function submitInputWithPermit(
        address signer,
        bytes32 inputId,
        bytes calldata payload,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant whenInitialized {
        require(block.timestamp <= deadline, PermitExpired(deadline));
        bytes32 structHash =
            keccak256(abi.encode(PERMIT_TYPEHASH, inputId, keccak256(payload), nonces[signer], deadline));
        require(ECDSA.recover(_hashTypedDataV4(structHash), v, r, s) == signer, InvalidSignature());
        nonces[signer]++;
        _acceptInput(inputId, payload, signer);
        emit InputSubmittedWithPermit(signer, msg.sender, inputId);
    }

    /// @dev Fields, persistence, conditions, verifiers, transition, action: each step's refusal comes before the next's.
    function _acceptInput(bytes32 inputId, bytes calldata payload, address sender) private {
        InputDef memory definition = _inputDefs[inputId];
        require(definition.id != bytes32(0), "Unknown inputId");

        DataField[] memory submitted = abi.decode(payload, (DataField[]));
        _persistFields(definition.fields, _matchFields(definition.fields, submitted));
        _requireConditions(definition, submitted, sender);
        _requireVerifiers(definition.verifierKeys, inputId, payload);

        bytes32 fromState = currentState;
        bytes32 toState = _findNextState(fromState, inputId);
        currentState = toState;
        _executeAction(fromState, toState, inputId);
        emit InputAccepted(fromState, toState, inputId, payload);
    }

    function _executeAction(bytes32 fromState, bytes32 toState, bytes32 inputId) private {
        ActionInit memory action = _actions[fromState][inputId];
        if (action.target == address(0)) return;
        (bool success, bytes memory returnData) = action.target.call{value: action.value}(action.data);
        require(success, ActionCallFailed(action.target, returnData));
        emit ActionExecuted(fromState, toState, inputId, action.target);
    }

    /// @dev What is stored takes the place of what was, whatever the type of that.
    function _persistFields(InputFieldDef[] memory declared, DataField[] memory fields) private {
        for (uint256 i = 0; i < declared.length; i++) {
            if (declared[i].persist && !_isOmitted(fields[i])) _store(fields[i]);
        }
    }

    function _setHead(address owner_, string calldata docUri_, bytes32 docHash_, bytes32 initialState_) private {
        owner = owner_;
        docUri = docUri_;
        docHash = docHash_;
        initialState = initialState_;
        currentState = initialState_;
    }

    function _registerVerifiers(VerifierInit[] calldata verifiers) private {
        for (uint256 i = 0; i < verifiers.length; i++) {
            (bytes32 key, address verifier) = (verifiers[i].key, verifiers[i].verifier);
            require(verifier != address(0), VerifierZero());
            require(verifierRegistry[key] == address(0), DuplicateVerifier(key));
            verifierRegistry[key] = verifier;
            emit VerifierRegistered(key, verifier);
        }
    }

    function _registerInputDefs(InputDef[] calldata inputDefs) private {
        for (uint256 i = 0; i < inputDefs.length; i++) {
            InputDef calldata inputDef = inputDefs[i];
            require(inputDef.id != bytes32(0), "InputDef id zero");
            InputDef storage stored = _inputDefs[inputDef.id];
            require(stored.id == bytes32(0), "Duplicate inputId");
            stored.id = inputDef.id;
            for (uint256 j = 0; j < inputDef.fields.length; j++) {
                stored.fields.push(inputDef.fields[j]);
            }
            for (uint256 j = 0; j < inputDef.conditions.length; j++) {
                stored.conditions.push(inputDef.conditions[j]);
            }
            for (uint256 j = 0; j < inputDef.verifierKeys.length; j++) {
                bytes32 key = inputDef.verifierKeys[j];
                require(verifierRegistry[key] != address(0), UnknownVerifier(key));
                stored.verifierKeys.push(key);
            }
        }
    }

    function _setInitVars(DataField[] calldata initVars) private {
        for (uint256 i = 0; i < initVars.length; i++) {
            require(initVars[i].id != bytes32(0), "InitVar id zero");
            initVars[i].fType.requireDecodable(initVars[i].data);
            _store(initVars[i]);
        }
    }

    function _registerActions(ActionInit[] calldata actions) private {
        for (uint256 i = 0; i < actions.length; i++) {
            ActionInit calldata action = actions[i];
            require(action.target != address(0), ActionTargetZero());
            _actions[action.fromState][action.inputId] = action;
            emit ActionRegistered(action.fromState, action.inputId, action.target, action.value, action.data);
        }
    }

    function _store(DataField memory field) private {
        _variables[field.id] = StoredVariable({isSet: true, fType: field.fType, data: field.data});
    }

    /// @dev A condition looks at what was submitted, declared or not; it is skipped for a declared field that was omitted.
    function _requireConditions(InputDef memory definition, DataField[] memory submitted, address sender) private view {
        for (uint256 i = 0; i < definition.conditions.length; i++) {
            Condition memory condition = definition.conditions[i];
            if (condition.isAboutSender()) {
                condition.requireSender(sender, _variables);
                continue;
            }
            (bool found, DataField memory field) = _findSubmitted(submitted, condition.fieldId);
            if (found) {
                condition.requireField(field, _variables);
            } else {
                // A declared field that is absent is an optional one: a required one was refused when fields were matched.
                require(_isDeclared(definition.fields, condition.fieldId), "Condition field not found in input data");
            }
        }
    }

    /// @dev The sender shown is the caller, also for a permit; it is the conditions that look at the signer.
    function _requireVerifiers(bytes32[] memory keys, bytes32 inputId, bytes calldata payload) private view {
        for (uint256 i = 0; i < keys.length; i++) {
            address verifier = verifierRegistry[keys[i]];
            require(verifier != address(0), "Verifier not registered");
            IVerifier(verifier).verify(address(this), inputId, payload, msg.sender);
        }
    }

    function _findNextState(bytes32 fromState, bytes32 inputId) private view returns (bytes32) {
        for (uint256 i = 0; i < _transitions.length; i++) {
            Transition storage transition = _transitions[i];
            if (transition.fromState == fromState && transition.inputId == inputId) return transition.toState;
        }
        revert("No valid transition");
    }

    /// @dev What was submitted for each declared field, in the order declared; `_isOmitted` where nothing was.
    function _matchFields(InputFieldDef[] memory declared, DataField[] memory submitted)
        private
        pure
        returns (DataField[] memory fields)
    {
        fields = new DataField[](declared.length);
        for (uint256 i = 0; i < declared.length; i++) {
            (bool found, DataField memory field) = _findSubmitted(submitted, declared[i].fieldId);
            if (found) {
                require(field.fType == declared[i].fType, "Field type mismatch");
                field.fType.requireDecodable(field.data);
                fields[i] = field;
            } else {
                require(!declared[i].required, "Required field missing");
            }
        }
    }

    /// @dev Of several with the same id the first counts.
    function _findSubmitted(DataField[] memory submitted, bytes32 id)
        private
        pure
        returns (bool found, DataField memory field)
    {
        for (uint256 i = 0; i < submitted.length; i++) {
            if (submitted[i].id == id) return (true, submitted[i]);
        }
    }

    function _isDeclared(InputFieldDef[] memory declared, bytes32 fieldId) private pure returns (bool) {
        for (uint256 i = 0; i < declared.length; i++) {
            if (declared[i].fieldId == fieldId) return true;
        }
        return false;
    }

    /// @dev No value encodes to nothing, so a field without data is one that was not submitted.
    function _isOmitted(DataField memory field) private pure returns (bool) {
        return field.data.length == 0;
    }
}
