/** Answers in YAML for those who prefer it; everything is made as JSON first. */
import { dump } from 'js-yaml';
import { decodeText, encodeText, type HttpResponse } from '../../lib/index.ts';
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

export function dumpYaml(value: unknown): string {
  return dump(value, { noRefs: true });
}

/** The same answer in YAML, if it is whole and JSON; a stream stays as it is. */
export function toYaml(response: HttpResponse): HttpResponse {
  const { headers, body } = response;
  if (!(body instanceof Uint8Array) || headers['content-type'] !== 'application/json') return response;
  const text = encodeText(dumpYaml(JSON.parse(decodeText(body))));
  return {
    ...response,
    headers: { ...headers, 'content-type': YAML_TYPE, 'content-length': String(text.length) },
    body: text,
  };
}
