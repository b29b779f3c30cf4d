import type { HostedDocument } from '../../src/api/documents/hostedDocument.ts';

/** A hosted document in Markdown, with the test's changes. */
export function sampleDocument(changes: Partial<HostedDocument> = {}): HostedDocument {
  return {
    documentId: '5f0c1b1e-8d0e-4f0b-9a57-0d2f6f4f7a10',
    docUri: 'https://agreements.example/v0/agreements/documents/5f0c1b1e-8d0e-4f0b-9a57-0d2f6f4f7a10',
    agreementId: 'agr_0123456789abcdef0123456789abcdef',
    agreementAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    chainId: 59141,
    displayName: 'Rental of a camera',
    docHash: `0x${'5a'.repeat(32)}`,
    updatedAt: '2026-11-21T09:36:00.123Z',
    contentType: 'md',
    template: `# Rental\n\nThe owner is **\${variables.owner}**.`,
    values: { owner: 'Ada' },
    ...changes,
  };
}
