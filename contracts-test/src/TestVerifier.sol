// SPDX-License-Identifier: MIT
pragma solidity =0.8.37;

import {IVerifier} from "./IVerifier.sol";

/// @title TestVerifier
/// @notice A verifier that accepts everything until it is told to refuse.
contract TestVerifier is IVerifier {
    /// @notice Whether every input is refused.
    bool public refusing;

    /// @notice The refusal, which repeats what the verifier was asked.
    error InputRefused(address agreement, bytes32 inputId, bytes payload, address sender);

    /// @notice Refuse every input from now on, or none.
    function setRefusing(bool refusing_) external {
        refusing = refusing_;
    }

    /// @inheritdoc IVerifier
    function verify(address agreement, bytes32 inputId, bytes calldata payload, address sender) external view {
        require(!refusing, InputRefused(agreement, inputId, payload, sender));
    }
}
