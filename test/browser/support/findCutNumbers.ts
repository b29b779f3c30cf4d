import type { Page } from 'playwright-core';

/**
 * Runs in the page: the numbers of lists that begin outside of the box that cuts them. A number stands before its item's
 * box unless the item makes room for it in its first line.
 */
const inspection = `[...document.querySelectorAll('ol > li')].flatMap((item) => {
  const style = getComputedStyle(item);
  if (style.listStylePosition === 'inside') return [];
  const number = document.createElement('span');
  number.textContent = item.value + '. ';
  number.style.cssText = 'position: absolute; white-space: pre';
  item.append(number);
  const { width } = number.getBoundingClientRect();
  number.remove();
  let cutAt = 0;
  for (let box = item; box; box = box.parentElement)
    if (getComputedStyle(box).overflowX !== 'visible') cutAt = Math.max(cutAt, box.getBoundingClientRect().left);
  return item.getBoundingClientRect().left - width < cutAt ? [item.value] : [];
})`;

/** The numbers of a page's lists of which readers would not see the first digits. */
export async function findCutNumbers(page: Page): Promise<readonly number[]> {
  const found: unknown = await page.evaluate(inspection);
  return Array.isArray(found) ? found.map(Number) : [];
}
