// SPDX-License-Identifier: MIT
pragma solidity =0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title TestToken
/// @notice An ERC-20 that anyone may mint, with calls that fail in every way a contract can.
contract TestToken is ERC20 {
    /// @notice A failure with fields, as contracts declare their own.
    error TestFailure(uint256 code, address account, string note);

    constructor(string memory name, string memory symbol) ERC20(name, symbol) {}

    /// @notice Creates `amount` units for `account`.
    function mint(address account, uint256 amount) external {
        _mint(account, amount);
    }

    /// @notice Calls `target` and passes on whatever comes of it.
    function forward(address target, bytes calldata data) external payable returns (bytes memory) {
        (bool success, bytes memory returnData) = target.call{value: msg.value}(data);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(returnData, 0x20), mload(returnData))
            }
        }
        return returnData;
    }

    /// @notice Reverts with `Error(string)`.
    function failWithReason(string calldata reason) external pure {
        revert(reason);
    }

    /// @notice Reverts with `TestFailure`.
    function failWithCustomError(uint256 code, address account, string calldata note) external pure {
        revert TestFailure(code, account, note);
    }

    /// @notice Reverts with `Panic(0x12)`: a division by zero.
    function failWithPanic() external pure returns (uint256) {
        uint256 zero = 0;
        return 1 / zero;
    }

    /// @notice Reverts without any data.
    function failWithoutData() external pure {
        assembly ("memory-safe") {
            revert(0, 0)
        }
    }
}
