/** Finds the address that a program asked right before it could not read what it got: the answer was no JSON, but a page. Pure. */
import { maskSecrets } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';

/** What parsers of JSON say of a page of HTML, and of an answer that is empty or no JSON at all at its first letter. */
const NO_JSON =
  /unexpected token '?<|invalid character '<'|unexpected (?:character|symbol|input)\W{1,4}(?:0x3c|'?<)|Expecting value: line 1 column 1\b|(?:position|offset|char(?:acter)?|column) 0\b.{0,40}json|json.{0,60}\b(?:position|offset|char) 0\b|unexpected end of JSON input|Unrecognized token '<'|<!?doctype html/i;
const URL = /\bhttps?:\/\/[\w.:@-]{1,200}(?:\/[^\s"'<>),\]]{0,300})?/gi;
/** Lines before the failure. */
const MAX_LINES = 12;

export interface AskedBefore {
  /** Without user information and query. */
  readonly url: string;
  readonly host: string;
  readonly path: string;
}

/** Whether the line says that an answer is not what its reader wants. */
export function isNoJson(line: string): boolean {
  return NO_JSON.test(line);
}

/** Undefined: it failed at something else, or no line before that has an address. */
export function askedBefore({
  reading: { decisive },
  lines,
}: Pick<ContainerFacts, 'reading' | 'lines'>): AskedBefore | undefined {
  if (decisive === undefined || !isNoJson(decisive.line)) return undefined;
  const at = lines.findLastIndex((line) => NO_JSON.test(line));
  const before = lines.slice(Math.max(0, at - MAX_LINES), at + 1).toReversed();
  for (const line of before) {
    const found = [...line.matchAll(URL)].at(-1)?.[0];
    if (found === undefined) continue;
    const { host, path } = partsOf(found);
    if (host !== '') return { url: maskSecrets(found.split(/[?#]/)[0] ?? found), host, path };
  }
  return undefined;
}

function partsOf(text: string): { readonly host: string; readonly path: string } {
  const [, authority = '', path = '/'] = /^https?:\/\/([^/]{1,255})(\/[^?#]{0,300})?/i.exec(text) ?? [];
  return { host: (authority.split('@').at(-1) ?? '').replace(/:\d{1,5}$/, ''), path };
}
