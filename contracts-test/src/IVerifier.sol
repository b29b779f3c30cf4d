// SPDX-License-Identifier: MIT
pragma solidity =0.8.37;

/// @notice A contract that an agreement asks before it accepts an input.
interface IVerifier {
    /// @notice Refuses the input by reverting; the revert data reaches whoever submitted it.
    /// @param agreement The agreement that asks.
    /// @param inputId The input submitted.
    /// @param payload The input's payload as submitted.
    /// @param sender The account that called the agreement, also where it submitted another's permit.
    function verify(address agreement, bytes32 inputId, bytes calldata payload, address sender) external view;
}
