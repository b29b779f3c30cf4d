/** An operator's request that cannot be done; the message says why and is meant to be shown. */
export class AdministrationError extends Error {
  override readonly name = 'AdministrationError';
}
