/** 32 secret bytes for a purpose: the same whenever the same request is carried out again. */
export type Derive = (purpose: string) => Buffer;
