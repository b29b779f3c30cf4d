// SPDX-License-Identifier: MIT
pragma solidity =0.8.37;

import {FieldType} from "./AgreementTypes.sol";

/// @dev Checks and names of encoded values.
library FieldData {
    /// @dev Refuses `data` that is not an encoding of `fType`. The length is named in the reason; what the ABI decoder
    /// itself refuses (an address of more than 160 bits, a bool beyond 1, a string past the end) reverts without one.
    function requireDecodable(FieldType fType, bytes memory data) internal pure {
        require(data.length != 0, "Field data is empty");
        if (fType == FieldType.UINT256) {
            require(data.length == 32, "Invalid uint256 encoding");
        } else if (fType == FieldType.ADDRESS) {
            require(data.length == 32, "Invalid address encoding");
            abi.decode(data, (address));
        } else if (fType == FieldType.BOOL) {
            require(data.length == 32, "Invalid bool encoding");
            abi.decode(data, (bool));
        } else if (fType == FieldType.BYTES32) {
            require(data.length == 32, "Invalid bytes32 encoding");
        } else {
            require(data.length >= 64, "Invalid string encoding");
            abi.decode(data, (string));
        }
    }

    /// @dev The type's name as errors spell it.
    function typeName(FieldType fType) internal pure returns (string memory) {
        if (fType == FieldType.UINT256) return "UINT256";
        if (fType == FieldType.STRING) return "STRING";
        if (fType == FieldType.ADDRESS) return "ADDRESS";
        if (fType == FieldType.BOOL) return "BOOL";
        return "BYTES32";
    }
}
