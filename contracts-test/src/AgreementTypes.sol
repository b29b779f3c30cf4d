// SPDX-License-Identifier: MIT
pragma solidity =0.8.37;

/// @dev What a field or a variable holds; the order is part of the ABI.
enum FieldType {
    UINT256,
    STRING,
    ADDRESS,
    BOOL,
    BYTES32
}

/// @dev The condition language; the order is part of the ABI.
enum Op {
    STRING_MIN_LENGTH,
    STRING_MAX_LENGTH,
    STRING_EQ_CONST,
    STRING_EQ_VAR,
    UINT_EQ_CONST,
    UINT_GT_CONST,
    UINT_GTE_CONST,
    UINT_LT_CONST,
    UINT_LTE_CONST,
    UINT_EQ_VAR,
    UINT_GT_VAR,
    UINT_GTE_VAR,
    UINT_LT_VAR,
    UINT_LTE_VAR,
    ADDRESS_EQ_CONST,
    ADDRESS_EQ_VAR,
    SENDER_EQ_VAR_ADDRESS,
    SENDER_IN_ALLOWED_ADDRESSES
}

/// @dev A field that an input declares. `persist` makes the submitted value a stored variable of the same id.
struct InputFieldDef {
    bytes32 fieldId;
    FieldType fType;
    bool required;
    bool persist;
}

/// @dev An `op` outside the language does not decode. `bytesArg` is the ABI encoding of the constant, of the variable's id, or of (bytes32[] variables, address[] literals).
struct Condition {
    Op op;
    bytes32 fieldId;
    bytes bytesArg;
}

/// @dev An input: what it carries, what must hold, and who else must agree.
struct InputDef {
    bytes32 id;
    InputFieldDef[] fields;
    Condition[] conditions;
    bytes32[] verifierKeys;
}

/// @dev `inputId` leads from `fromState` to `toState`; of several with the same start the first counts.
struct Transition {
    bytes32 fromState;
    bytes32 toState;
    bytes32 inputId;
}

/// @dev A named value; `data` is its ABI encoding.
struct DataField {
    bytes32 id;
    FieldType fType;
    bytes data;
}

/// @dev A verifier and the key under which input definitions name it.
struct VerifierInit {
    bytes32 key;
    address verifier;
}

/// @dev The call that `inputId` makes when it leaves `fromState`.
struct ActionInit {
    bytes32 fromState;
    bytes32 inputId;
    address target;
    uint256 value;
    bytes data;
}

/// @dev A variable as the engine stores it; `data` has been checked to decode as `fType`.
struct StoredVariable {
    bool isSet;
    FieldType fType;
    bytes data;
}
