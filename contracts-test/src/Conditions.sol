// SPDX-License-Identifier: MIT
pragma solidity =0.8.37;

import {Condition, DataField, FieldType, Op, StoredVariable} from "./AgreementTypes.sol";
import {FieldData} from "./FieldData.sol";
import {IAgreementEngine} from "./IAgreementEngine.sol";
import {OpNames} from "./OpNames.sol";

/// @dev The condition language. Every function returns when the condition holds and reverts otherwise.
library Conditions {
    using FieldData for FieldType;

    /// @dev Whether the condition is about the sender and not about a field.
    function isAboutSender(Condition memory condition) internal pure returns (bool) {
        return condition.op == Op.SENDER_EQ_VAR_ADDRESS || condition.op == Op.SENDER_IN_ALLOWED_ADDRESSES;
    }

    /// @dev Checks a condition about the sender. Variables are read in order and before the literals, and none after the
    /// first match: an unset one that is reached reverts.
    function requireSender(
        Condition memory condition,
        address sender,
        mapping(bytes32 id => StoredVariable) storage variables
    ) internal view {
        if (condition.op == Op.SENDER_EQ_VAR_ADDRESS) {
            address expected = _loadAddress(variables, condition.fieldId);
            require(sender == expected, IAgreementEngine.SenderAddressMismatch(sender, expected));
            return;
        }
        (bytes32[] memory variableIds, address[] memory literals) =
            abi.decode(condition.bytesArg, (bytes32[], address[]));
        for (uint256 i = 0; i < variableIds.length; i++) {
            if (sender == _loadAddress(variables, variableIds[i])) return;
        }
        for (uint256 i = 0; i < literals.length; i++) {
            if (sender == literals[i]) return;
        }
        revert IAgreementEngine.SenderAddressNotAllowed(sender);
    }

    /// @dev Checks a condition about a submitted field.
    function requireField(
        Condition memory condition,
        DataField memory field,
        mapping(bytes32 id => StoredVariable) storage variables
    ) internal view {
        Op op = condition.op;
        FieldType expected = _operandType(op);
        _requireType(expected, field.fType);

        // A field that nobody declared may not decode. Only for a text is the variable read before that shows.
        bool holds;
        if (expected == FieldType.STRING) {
            bytes memory operand = _loadOperand(condition, variables, expected);
            holds = _stringHolds(op, abi.decode(field.data, (string)), operand);
        } else if (expected == FieldType.UINT256) {
            uint256 value = abi.decode(field.data, (uint256));
            holds = _uintHolds(op, value, abi.decode(_loadOperand(condition, variables, expected), (uint256)));
        } else {
            address value = abi.decode(field.data, (address));
            holds = value == abi.decode(_loadOperand(condition, variables, expected), (address));
        }
        require(holds, IAgreementEngine.ComparisonFailed(OpNames.nameInError(op), expected.typeName()));
    }

    /// @dev The encoded constant, or what the variable holds that the condition names.
    function _loadOperand(
        Condition memory condition,
        mapping(bytes32 id => StoredVariable) storage variables,
        FieldType expected
    ) private view returns (bytes memory) {
        if (!_readsVariable(condition.op)) return condition.bytesArg;
        return _load(variables, abi.decode(condition.bytesArg, (bytes32)), expected);
    }

    function _operandType(Op op) private pure returns (FieldType) {
        if (op <= Op.STRING_EQ_VAR) return FieldType.STRING;
        if (op <= Op.UINT_LTE_VAR) return FieldType.UINT256;
        return FieldType.ADDRESS;
    }

    function _readsVariable(Op op) private pure returns (bool) {
        return op == Op.STRING_EQ_VAR || op == Op.ADDRESS_EQ_VAR || (op >= Op.UINT_EQ_VAR && op <= Op.UINT_LTE_VAR);
    }

    /// @dev Lengths are counted in bytes.
    function _stringHolds(Op op, string memory value, bytes memory operand) private pure returns (bool) {
        if (op == Op.STRING_MIN_LENGTH) return bytes(value).length >= abi.decode(operand, (uint256));
        if (op == Op.STRING_MAX_LENGTH) return bytes(value).length <= abi.decode(operand, (uint256));
        return keccak256(bytes(value)) == keccak256(bytes(abi.decode(operand, (string))));
    }

    function _uintHolds(Op op, uint256 value, uint256 operand) private pure returns (bool) {
        if (op == Op.UINT_EQ_CONST || op == Op.UINT_EQ_VAR) return value == operand;
        if (op == Op.UINT_GT_CONST || op == Op.UINT_GT_VAR) return value > operand;
        if (op == Op.UINT_GTE_CONST || op == Op.UINT_GTE_VAR) return value >= operand;
        if (op == Op.UINT_LT_CONST || op == Op.UINT_LT_VAR) return value < operand;
        return value <= operand;
    }

    function _loadAddress(mapping(bytes32 id => StoredVariable) storage variables, bytes32 id)
        private
        view
        returns (address)
    {
        return abi.decode(_load(variables, id, FieldType.ADDRESS), (address));
    }

    function _load(mapping(bytes32 id => StoredVariable) storage variables, bytes32 id, FieldType expected)
        private
        view
        returns (bytes memory)
    {
        StoredVariable storage variable = variables[id];
        require(variable.isSet, IAgreementEngine.VarNotSet(id));
        _requireType(expected, variable.fType);
        return variable.data;
    }

    function _requireType(FieldType expected, FieldType actual) private pure {
        require(actual == expected, IAgreementEngine.TypeMismatch(expected.typeName(), actual.typeName()));
    }
}
