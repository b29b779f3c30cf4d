/** Whether If-None-Match names this ETag. Compares weakly: a proxy may have weakened the tag. */
export function isKnownTag(ifNoneMatch: string | null | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim());
  return tags.some((tag) => tag === '*' || strip(tag) === strip(etag));
}

const strip = (tag: string) => tag.replace(/^W\//, '');
