/** Parses an Accept header: the forms in which the client wants its objects. Pure. */
import { formNotAcceptable, notAcceptable } from '../../api/index.ts';

export type ObjectForm =
  /** `bare`: without managed fields, which are half of an object and of no use to most programs. */
  | { readonly as: 'object'; readonly bare?: true }
  | { readonly as: 'table'; readonly version: 'v1' | 'v1beta1' }
  | { readonly as: 'metadata'; readonly version: 'v1' | 'v1beta1' };

/** The name of a form that does not depend on the moment: its text for an object is the same for all clients. */
export function formatOf(form: ObjectForm, apiVersion: string): string {
  const detail = form.as === 'object' ? (form.bare === true ? 'bare' : '') : form.version;
  return `${form.as} ${detail} ${apiVersion}`;
}

export interface MediaClause {
  readonly type: string;
  readonly params: Readonly<Record<string, string>>;
  readonly quality: number;
}

/** The clauses of an Accept header, the most wanted first; of equals the first one. */
export function parseAccept(header: string | undefined): readonly MediaClause[] {
  if (header === undefined || header.trim() === '') return [{ type: '*/*', params: {}, quality: 1 }];
  return header
    .split(',')
    .map(parseClause)
    .filter((clause) => clause.type !== '')
    .sort((a, b) => b.quality - a.quality);
}

function parseClause(text: string): MediaClause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const params: Record<string, string> = {};
  for (const part of rest) {
    const mark = part.indexOf('=');
    if (mark > 0) params[part.slice(0, mark)] = part.slice(mark + 1);
  }
  const quality = Number(params['q'] ?? '1');
  return { type: type.toLowerCase(), params, quality: Number.isNaN(quality) ? 1 : quality };
}

/** True for a clause that JSON satisfies. */
export function acceptsJson(clause: MediaClause): boolean {
  return clause.type === 'application/json' || clause.type === 'application/*' || clause.type === '*/*';
}

/** What is asked for: one object (a watch sends one in each event), or a list of them. */
export type AnswerKind = 'object' | 'list';

/**
 * The first form that the server can give. A client that lists Protobuf first and JSON after gets JSON. Throws 406 when
 * nothing fits, or when metadata alone is asked for as a list of what is one object, or the other way round.
 */
export function negotiateObject(accept: string | undefined, answer: AnswerKind = 'object'): ObjectForm {
  for (const clause of parseAccept(accept)) {
    // Made as JSON, and written as YAML at the end.
    if (clause.type === 'application/yaml' && clause.params['as'] === undefined) return { as: 'object' };
    if (!acceptsJson(clause)) continue;
    const form = formOf(clause, answer);
    if (form !== undefined) return form;
  }
  throw notAcceptable(['application/json', 'application/yaml']);
}

function formOf(clause: MediaClause, answer: AnswerKind): ObjectForm | undefined {
  const { as, g, v } = clause.params;
  if (as === undefined)
    return clause.params['managed-fields'] === 'none' ? { as: 'object', bare: true } : { as: 'object' };
  if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined;
  if (as === 'Table') return { as: 'table', version: v };
  if (as !== METADATA_KINDS.object && as !== METADATA_KINDS.list) return undefined;
  if (as === METADATA_KINDS[answer]) return { as: 'metadata', version: v };
  throw formNotAcceptable(`you requested ${as}, but the requested object is ${answer === 'list' ? '' : 'not '}a list`);
}

const METADATA_KINDS: Readonly<Record<AnswerKind, string>> = {
  object: 'PartialObjectMetadata',
  list: 'PartialObjectMetadataList',
};
