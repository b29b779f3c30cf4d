import type { Page } from 'playwright-core';
import { z } from 'zod';

const inspectionShape = z.object({
  isHit: z.boolean(),
  faults: z.array(z.string()),
  texts: z.array(z.string()),
});
export type Inspection = z.output<typeof inspectionShape>;

/**
 * Runs in the page: triggers all event handlers, and lists every difference from the service's usual page. Of
 * the elements that a text may contain, only plain formatting with harmless attributes is allowed.
 */
const inspection = `(() => {
  const faults = [];
  const names = (elements) => [...elements].map((element) => element.localName).join(' ');
  const expect = (isMet, fault) => { if (!isMet) faults.push(fault); };
  const { head, body } = document;
  expect(/^header (p )?main footer$/.test(names(body.children)), 'body holds ' + names(body.children));
  expect(/^meta( meta)+ title style$/.test(names(head.children)), 'head holds ' + names(head.children));
  expect(body.attributes.length === 0, 'body has attributes');
  expect(names(document.querySelectorAll('header *')) === 'p p bdi p', 'header holds ' + names(document.querySelectorAll('header *')));
  expect(getComputedStyle(body).maxWidth === '736px', 'the page is without its style');
  const hash = document.querySelector('footer dd')?.textContent ?? '';
  expect(/^0x(5a){32}$/.test(hash), 'the hash shown is ' + hash);
  for (const element of document.querySelectorAll('main *')) {
    expect(element.namespaceURI === 'http://www.w3.org/1999/xhtml', 'is foreign: ' + element.localName);
    expect(element.shadowRoot === null, 'has a shadow: ' + element.localName);
    for (const { name, value } of element.attributes)
      expect(['class', 'href', 'rel', 'start', 'colspan', 'rowspan'].includes(name), 'has ' + name + '=' + value);
  }
  for (const link of document.links)
    expect(['http:', 'https:', 'mailto:'].includes(link.protocol), 'links to ' + link.href);
  for (const list of ['frames', 'forms', 'images', 'scripts', 'embeds', 'plugins'])
    expect((list === 'frames' ? window.length : document[list].length) === 0, 'holds ' + list);
  window.addEventListener('click', (event) => event.preventDefault(), true);
  for (const element of document.querySelectorAll('*'))
    for (const type of ['click', 'mouseover', 'pointerenter', 'focus', 'load', 'error', 'toggle', 'animationstart', 'submit'])
      element.dispatchEvent(new Event(type, { cancelable: true }));
  const texts = [...document.querySelectorAll('header bdi, main bdi')].map((element) => element.textContent);
  return { isHit: window.hit !== undefined, faults, texts };
})()`;

export async function inspectPage(page: Page): Promise<Inspection> {
  return inspectionShape.parse(await page.evaluate(inspection));
}

/** Whether a script of the page has left its mark; undefined if the page is gone. */
export async function isHit(page: Page): Promise<boolean | undefined> {
  try {
    return (await page.evaluate('window.hit !== undefined')) === true;
  } catch {
    return undefined;
  }
}
