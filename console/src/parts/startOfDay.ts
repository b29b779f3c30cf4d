/** When a day such as `2026-01-31` begins in the reader's zone, as an ISO time; a text that is no day is returned as it is. */
export function startOfDay(day: string): string {
  const date = new Date(`${day}T00:00`);
  return Number.isNaN(date.getTime()) ? day : date.toISOString();
}
