import { quote } from '../../../protocol/quote.ts';
import { quoteName } from '../quotedData.ts';

/** As many values as a person reads before signing. */
const mostValues = 24;
const longestValue = 200;

/** Values by name for a sentence, each in quotes: `"amount" = "90"`. A text that is cut comes with its length. */
export function tellValues(values: Readonly<Record<string, unknown>>): string {
  const all = Object.entries(values);
  const told = all.slice(0, mostValues).map(([name, value]) => `${quoteName(name)} = ${tellValue(value)}`);
  const more = all.length - told.length;
  return more > 0 ? `${told.join(', ')} and ${more} more in quotedValues` : told.join(', ');
}

function tellValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const length = text.length > longestValue ? ` (of ${text.length} characters)` : '';
  return `${quote(text, longestValue)}${length}`;
}
