// SPDX-License-Identifier: MIT
pragma solidity =0.8.37;

/// @title TestBatch
/// @notice Makes several calls in one transaction: all of them, or none.
contract TestBatch {
    /// @notice A call to be made, without value.
    struct Call {
        address target;
        bytes data;
    }

    /// @notice Makes the calls in order; the first one that fails reverts everything with its own data.
    function execute(Call[] calldata calls) external {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory returnData) = calls[i].target.call(calls[i].data);
            if (!success) {
                assembly ("memory-safe") {
                    revert(add(returnData, 0x20), mload(returnData))
                }
            }
        }
    }
}
