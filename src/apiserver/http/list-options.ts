/** The query of lists and watches, read and checked (upstream: ListOptions). */
import {
  badRequest,
  checkFieldSelector,
  type FieldError,
  forbiddenField,
  invalid,
  matchesFields,
  matchesLabels,
  notSupported,
  parseFieldSelector,
  parseLabelSelector,
  requiredFieldValue,
  SelectorError,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import type { Registration } from '../registry/registration.ts';
import { isTrue } from './request-info.ts';

export type VersionMatch = 'Exact' | 'NotOlderThan';

export interface Selection {
  readonly isEmpty: boolean;
  /** Only metadata decide. */
  readonly isOfMetadata: boolean;
  /** The one name that can match. */
  readonly name: string | undefined;
  /** One field that must have one value, of those that many clients ask for. */
  readonly exact?: { readonly field: 'metadata.name' | 'spec.nodeName'; readonly value: string };
  /** For an object in the form that the path serves. */
  matches(object: ApiObject): boolean;
}

export interface ListOptions {
  readonly selection: Selection;
  /** Undefined: the newest. 0: any. */
  readonly revision: number | undefined;
  readonly versionMatch: VersionMatch | undefined;
  /** 0: no limit. */
  readonly limit: number;
  readonly continue: string | undefined;
}

export interface WatchOptions {
  readonly selection: Selection;
  readonly revision: number | undefined;
  readonly bookmarks: boolean;
  /** It begins with what is there, then a bookmark that says so if bookmarks are allowed. */
  readonly sendInitialEvents: boolean;
  readonly timeoutSeconds: number | undefined;
}

/** Throws 400 for what can not be read, 422 for what does not go together. */
export function readListOptions(query: URLSearchParams, registration: Registration, name?: string): ListOptions {
  refuseConflicts(query, false);
  const revision = readRevision(query);
  const limit = readLimit(query);
  const token = query.get('continue') || undefined;
  if (token !== undefined && revision !== undefined && revision !== 0) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  // Upstream's rule for clients older than resourceVersionMatch: pages begin at that very revision.
  const isExact = limit > 0 && revision !== undefined && revision > 0;
  return {
    selection: readSelection(query, registration, name),
    revision,
    versionMatch: readMatch(query) ?? (isExact ? 'Exact' : undefined),
    limit,
    continue: token,
  };
}

export function readWatchOptions(query: URLSearchParams, registration: Registration, name?: string): WatchOptions {
  refuseConflicts(query, true);
  const revision = readRevision(query);
  return {
    selection: readSelection(query, registration, name),
    revision,
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: wantsInitialEvents(query, revision),
    timeoutSeconds: readNumber(query, 'timeoutSeconds') || undefined,
  };
}

/** Upstream (SetListOptionsDefaults): a watch from nowhere, or from "0", begins with what is there unless it says otherwise. */
function wantsInitialEvents(query: URLSearchParams, revision: number | undefined): boolean {
  const asked = query.get('sendInitialEvents');
  return asked === null ? revision === undefined || revision === 0 : isTrue(asked);
}

/** A negative limit is none (upstream pages only from 1). */
function readLimit(query: URLSearchParams): number {
  return /^-\d{1,18}$/.test(query.get('limit') ?? '') ? 0 : (readNumber(query, 'limit') ?? 0);
}

/** The number of a query parameter. Throws 400 for anything that is not a whole number from 0. */
export function readNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? '';
  if (text === '') return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw badRequest(`invalid value of ${name}: ${JSON.stringify(text)}`);
  return value;
}

function readRevision(query: URLSearchParams): number | undefined {
  const text = query.get('resourceVersion') ?? '';
  if (text === '') return undefined;
  if (!/^\d{1,16}$/.test(text)) throw badRequest(`invalid resource version ${JSON.stringify(text)}`);
  return Number(text);
}

function readMatch(query: URLSearchParams): VersionMatch | undefined {
  const value = query.get('resourceVersionMatch') ?? '';
  return value === 'Exact' || value === 'NotOlderThan' ? value : undefined;
}

/** The cases that upstream's ValidateListOptions refuses, with its messages. */
function refuseConflicts(query: URLSearchParams, isWatch: boolean): void {
  const asked: AskedOptions = {
    match: query.get('resourceVersionMatch') ?? '',
    version: query.get('resourceVersion') ?? '',
    initial: query.get('sendInitialEvents') !== null,
    continues: Boolean(query.get('continue')),
  };
  const errors = isWatch ? watchConflicts(asked) : listConflicts(asked);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
}

interface AskedOptions {
  readonly match: string;
  readonly version: string;
  /** `sendInitialEvents` is given, whatever its value. */
  readonly initial: boolean;
  readonly continues: boolean;
}

const forbidMatch = (why: string): FieldError => forbiddenField('resourceVersionMatch', why);

function watchConflicts({ match, initial, continues }: AskedOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (initial && match !== 'NotOlderThan') {
    errors.push(forbidMatch('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === '') return errors;
  if (!initial) {
    errors.push(forbidMatch('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  }
  if (match !== 'NotOlderThan') errors.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']));
  if (continues) errors.push(forbidMatch('resourceVersionMatch is forbidden when continue is provided'));
  return errors;
}

function listConflicts({ match, version, initial, continues }: AskedOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== '') {
    if (version === '') {
      errors.push(forbidMatch('resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (continues) errors.push(forbidMatch('resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && version === '0') {
      errors.push(forbidMatch('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (initial) errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function readSelection(query: URLSearchParams, { row, form }: Registration, name: string | undefined): Selection {
  try {
    const labels = parseLabelSelector(query.get('labelSelector') ?? '');
    const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
    checkFieldSelector(fields, row);
    const wantedName = name ?? requiredFieldValue(fields, 'metadata.name');
    // Stored objects, of which it is read, may have it elsewhere.
    const nodeName = form === undefined ? requiredFieldValue(fields, 'spec.nodeName') : undefined;
    return {
      ...(wantedName === undefined ? {} : { exact: { field: 'metadata.name', value: wantedName } }),
      ...(nodeName === undefined ? {} : { exact: { field: 'spec.nodeName', value: nodeName } }),
      isOfMetadata: fields.every(({ field }) => field.startsWith('metadata.')),
      isEmpty: labels.length === 0 && fields.length === 0 && name === undefined,
      name: wantedName,
      matches: (object) =>
        (name === undefined || object.metadata.name === name) &&
        matchesLabels(labels, object.metadata.labels) &&
        matchesFields(fields, row, object),
    };
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}
