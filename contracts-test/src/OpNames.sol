// SPDX-License-Identifier: MIT
pragma solidity =0.8.37;

import {Op} from "./AgreementTypes.sol";

/// @dev The text that `ComparisonFailed` carries for an op.
library OpNames {
    /// @dev The public deployment names a STRING op by its own name and every other by the one that follows it in the
    /// language. That is kept, because errors are compared byte by byte; nobody should explain a failure from it.
    function nameInError(Op op) internal pure returns (string memory) {
        if (op == Op.STRING_MIN_LENGTH) return "STRING_MIN_LENGTH";
        if (op == Op.STRING_MAX_LENGTH) return "STRING_MAX_LENGTH";
        if (op == Op.STRING_EQ_CONST) return "STRING_EQ_CONST";
        if (op == Op.STRING_EQ_VAR) return "STRING_EQ_VAR";
        if (op == Op.UINT_EQ_CONST) return "UINT_GT_CONST";
        if (op == Op.UINT_GT_CONST) return "UINT_GTE_CONST";
        if (op == Op.UINT_GTE_CONST) return "UINT_LT_CONST";
        if (op == Op.UINT_LT_CONST) return "UINT_LTE_CONST";
        if (op == Op.UINT_LTE_CONST) return "UINT_EQ_VAR";
        if (op == Op.UINT_EQ_VAR) return "UINT_GT_VAR";
        if (op == Op.UINT_GT_VAR) return "UINT_GTE_VAR";
        if (op == Op.UINT_GTE_VAR) return "UINT_LT_VAR";
        if (op == Op.UINT_LT_VAR) return "UINT_LTE_VAR";
        if (op == Op.UINT_LTE_VAR) return "ADDRESS_EQ_CONST";
        if (op == Op.ADDRESS_EQ_CONST) return "ADDRESS_EQ_VAR";
        return "UNKNOWN_OPERATION";
    }
}
