/** The offset of the value at each dotted path of a JSON text; nothing after the first syntax error. */
export function locateJson(text: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  let at = 0;
  const skip = () => {
    while (/\s/.test(text[at] ?? '')) at++;
  };
  const readString = (): string => {
    const start = at++;
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at++;
    return JSON.parse(text.slice(start, at));
  };
  const readValue = (path: string): void => {
    skip();
    if (!places.has(path)) places.set(path, at);
    const opening = text[at];
    if (opening === '{' || opening === '[') {
      at++;
      for (let index = 0; at < text.length; index++) {
        skip();
        if (text[at] === '}' || text[at] === ']') break;
        let name = String(index);
        const keyAt = at;
        if (opening === '{') {
          name = readString();
          skip();
          at++;
        }
        const inner = path === '' ? name : `${path}.${name}`;
        places.set(inner, opening === '{' ? keyAt : at);
        readValue(inner);
        skip();
        if (text[at] === ',') at++;
      }
      at++;
    } else if (opening === '"') readString();
    else while (at < text.length && !/[\s,\]}]/.test(text[at] ?? '')) at++;
  };
  try {
    readValue('');
  } catch {
    // Paths found before the error stay.
  }
  return places;
}

/** The offset of a path, or of its nearest existing parent. */
export function findPlace(places: ReadonlyMap<string, number>, path: string): number {
  const parts = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  for (let length = parts.length; length > 0; length--) {
    const place = places.get(parts.slice(0, length).join('.'));
    if (place !== undefined) return place;
  }
  return places.get('') ?? 0;
}

/** Lines count from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
