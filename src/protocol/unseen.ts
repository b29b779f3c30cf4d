/** Characters that are invisible, or that change the lines or the order of a text; for `replace` only. */
export const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu;
