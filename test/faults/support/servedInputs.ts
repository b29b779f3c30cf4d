import { z } from 'zod';

const pageShape = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      payload: z.string(),
      fromState: z.string().optional(),
      toState: z.string().optional(),
      txHash: z.string().nullish(),
    }),
  ),
  pageInfo: z.object({ nextCursor: z.string().nullable() }),
});

/** Reads an agreement's whole history through the API, page by page. */
export async function readServedInputs({
  baseUrl,
  apiKey,
  id,
}: {
  baseUrl: string;
  apiKey: string;
  id: string;
}) {
  const inputs: z.output<typeof pageShape>['data'] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const url = `${baseUrl}/v0/agreements/${id}/inputs?limit=100${query}`;
    const response = await fetch(url, { headers: { 'x-api-key': apiKey } });
    const page = pageShape.parse(await response.json());
    inputs.push(...page.data);
    cursor = page.pageInfo.nextCursor;
  }
  return inputs;
}
