/** Answers in YAML for clients that prefer it; everything is made as JSON first. */
import { dump } from 'js-yaml';
import { decodeText, encodeText, type HttpResponse } from '../../lib/index.ts';
import { MAX_YAML_LINES_BYTES } from '../limits.ts';
import { acceptsJson, parseAccept } from './negotiate.ts';

export const YAML_TYPE = 'application/yaml';

/** Whether the client wants YAML rather than JSON. */
export function prefersYaml(accept: string | undefined): boolean {
  for (const clause of parseAccept(accept)) {
    if (clause.type === YAML_TYPE) return true;
    if (acceptsJson(clause)) return false;
  }
  return false;
}

/** A JSON text as YAML. A long one stays as it is, which is YAML, too: printing it in lines would take a hundred times as long. */
export function yamlOf(json: string): string {
  if (json.length > MAX_YAML_LINES_BYTES) return `${printable(json)}\n`;
  return dump(JSON.parse(json), { noRefs: true });
}

/** The same as an element of a list. */
export function yamlItemOf(json: string): string {
  if (json.length > MAX_YAML_LINES_BYTES) return `- ${printable(json)}\n`;
  return dump([JSON.parse(json)], { noRefs: true });
}

/** Characters that JSON allows and YAML does not are escaped: they can only be in strings. */
function printable(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same answer in YAML, if it is whole and JSON; a stream stays as it is. */
export function toYaml(response: HttpResponse): HttpResponse {
  const { headers, body } = response;
  if (!(body instanceof Uint8Array) || headers['content-type'] !== 'application/json') return response;
  const text = encodeText(yamlOf(decodeText(body).trimEnd()));
  return {
    ...response,
    headers: { ...headers, 'content-type': YAML_TYPE, 'content-length': String(text.length) },
    body: text,
  };
}
