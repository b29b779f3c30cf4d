import { annotatedExamples } from '../content/annotatedExamples.ts';
import { writeAuthoringGuide } from '../content/authoringGuide.ts';
import { documentSchema } from '../content/documentSchema.ts';
import { milestoneWork, simpleLoan } from '../content/exampleDocuments.ts';
import type { ToolWords } from '../content/toolWords.ts';

/** A resource that is the same for everybody. */
export type StaticResource = {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly text: string;
};

const json = (value: unknown) => JSON.stringify(value, null, 2);

export const guideUri = 'agreements://docs/author-agreement-json.md';
export const schemaUri = 'agreements://docs/agreement.schema.json';
export const annotatedUri = 'agreements://examples/annotated.md';

export const buildStaticResources = (words: ToolWords): readonly StaticResource[] => [
  {
    uri: guideUri,
    name: 'authoring-guide',
    title: 'How to write an agreement',
    description: 'The parts of a document, what each part decides, and the most frequent mistakes.',
    mimeType: 'text/markdown',
    text: writeAuthoringGuide(words),
  },
  {
    uri: annotatedUri,
    name: 'annotated-examples',
    title: 'Two agreements, explained',
    description: 'A loan in two steps, and work with a review, a deadline and a way out; part by part.',
    mimeType: 'text/markdown',
    text: annotatedExamples,
  },
  {
    uri: 'agreements://examples/simple-agreement.json',
    name: 'simple-example-agreement',
    title: 'A small agreement',
    description: 'The smallest complete document: two parties, three states, two inputs.',
    mimeType: 'application/json',
    text: json(simpleLoan),
  },
  {
    uri: 'agreements://examples/complex-agreement.json',
    name: 'complex-example-agreement',
    title: 'A larger agreement',
    description: 'Work with acceptance, delivery, review in rounds, and cancellation.',
    mimeType: 'application/json',
    text: json(milestoneWork),
  },
  {
    uri: schemaUri,
    name: 'agreement-schema',
    title: 'JSON Schema of documents',
    description: `The JSON shape of a document. ${words.check} also checks the rules that a schema cannot express.`,
    mimeType: 'application/schema+json',
    text: json(documentSchema),
  },
];
