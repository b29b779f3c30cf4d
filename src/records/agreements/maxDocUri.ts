/** The longest URI of a document that a deployment may carry. A record shows no more of one that the chain has. */
export const maxDocUri = 2_048;
