/** What an operator asked for cannot be done; the message says why and is meant to be shown. */
export class AdministrationError extends Error {
  override readonly name = 'AdministrationError';
}
