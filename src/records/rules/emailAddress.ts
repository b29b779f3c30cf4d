/** One mailbox: no list, no display name, and no character that could end a header. */
const pattern = /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;\\]+$/;
const maxLength = 254;

export function isEmailAddress(text: string): boolean {
  return text.length <= maxLength && pattern.test(text);
}
