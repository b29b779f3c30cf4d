import { z } from 'zod';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

const jsonShape: z.ZodType<Json> = z.json();

export function object(value: Json | undefined): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object');
  return value;
}

export function array(value: Json | undefined): Json[] {
  if (!Array.isArray(value)) throw new Error('not a list');
  return value;
}

export function at(file: JsonObject, ...path: string[]): JsonObject {
  return path.reduce((holder, key) => object(holder[key]), file);
}

export function list(file: JsonObject, key: string): Json[] {
  return array(file[key]);
}

export function set(holder: JsonObject, key: string, value: Json): void {
  holder[key] = value;
}

export function memberOf(holder: Json, key: string | number): Json {
  return (Array.isArray(holder) ? holder[Number(key)] : object(holder)[key]) ?? null;
}

export function readJson(text: string): Json {
  return jsonShape.parse(JSON.parse(text));
}

export function readObject(text: string): JsonObject {
  return object(readJson(text));
}

export function write(file: Json): string {
  return `${JSON.stringify(file)}\n`;
}
