/**
 * The contracts' `Op`, by number: the condition language. Authored documents use the bounds and the sender
 * ops. Constants of their own, because the client carries only those that it uses.
 */
export const STRING_MIN_LENGTH = 0;
export const STRING_MAX_LENGTH = 1;
export const STRING_EQ_CONST = 2;
export const STRING_EQ_VAR = 3;
export const UINT_EQ_CONST = 4;
export const UINT_GT_CONST = 5;
export const UINT_GTE_CONST = 6;
export const UINT_LT_CONST = 7;
export const UINT_LTE_CONST = 8;
export const UINT_EQ_VAR = 9;
export const UINT_GT_VAR = 10;
export const UINT_GTE_VAR = 11;
export const UINT_LT_VAR = 12;
export const UINT_LTE_VAR = 13;
export const ADDRESS_EQ_CONST = 14;
export const ADDRESS_EQ_VAR = 15;
export const SENDER_EQ_VAR_ADDRESS = 16;
export const SENDER_IN_ALLOWED_ADDRESSES = 17;
