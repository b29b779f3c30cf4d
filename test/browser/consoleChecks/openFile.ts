import type { Page } from 'playwright-core';

/**
 * Opens a document in the editor as a file. Typing many lines would take Chromium seconds; people open a file
 * or paste.
 */
export async function openFile(page: Page, text: string): Promise<void> {
  const file = { name: 'document.json', mimeType: 'application/json', buffer: Buffer.from(text) };
  await page.locator('input[type="file"]').setInputFiles(file);
  await page.locator('.editor .gutter div').nth(1).waitFor();
}
