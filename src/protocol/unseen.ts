/**
 * Characters that are invisible, or that change the lines or the order of a text; for `replace` only. Those with the property
 * DI (Default_Ignorable_Code_Point) include letters and marks without a shape, such as fillers and variation selectors.
 */
export const unseen = /[\p{C}\p{Zl}\p{Zp}\p{DI}]/gu;
